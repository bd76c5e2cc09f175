// Columns and facts in plain words. The column's own name, as tables of the command have it, is a hint.

const LABELS = {
  contact_number: "contacts of the residue", wcn: "packing density", hse_up: "neighbours, side-chain side", hse_down: "neighbours, other side", centrality: "centrality in contacts", clustering: "clustering of contacts",
  long_range_contacts: "long-range contacts", contact_order: "contact order", ca_angle: "angle of alpha carbons", ca_dihedral: "torsion of alpha carbons", centroid_distance: "distance from the middle",
  sasa: "accessible area", rsa: "relative accessibility", sasa_apolar: "accessible apolar area", cx: "protrusion", depth: "depth below the surface", atomic_contacts: "atoms in contact",
  hydropathy: "hydropathy", hydropathy_local: "hydropathy around it", charge: "charge", charge_local: "charge around it", volume: "residue volume", b_factor: "B factor", bfactor_z: "B factor, standardized", bfactor_local: "B factor around it",
  conservation: "conservation", conservation_local: "conservation around it", gisaid_freq: "frequency of the variant", gisaid_velocity: "growth rate", freq_local: "frequency around it", velocity_local: "growth rate around it", exposed_velocity: "exposed growth rate",
  site_score: "binding-site score", phi: "phi", psi: "psi", omega: "omega", chi1: "chi 1", chi2: "chi 2", chi3: "chi 3", chi4: "chi 4", hbond_energy_nh: "H-bond energy of N-H", hbond_energy_co: "H-bond energy of C=O",
  ss: "secondary structure", plddt: "confidence (pLDDT)", alpha: "alpha", beta: "beta", gamma: "gamma", delta: "delta", epsilon: "epsilon", zeta: "zeta", chi: "chi of the base", pucker_phase: "phase of the sugar", pucker_amplitude: "amplitude of the sugar",
  "prism.version": "Version of prism", "prism.command": "Command", "prism.backend": "Computed on", "prism.contact_threshold": "Contacts: alpha carbons within, Å", "prism.points": "Points of the surface, each atom", "prism.site_threshold": "Residues of sites: least score",
  "prism.min_feature_value": "Least value that is written", "prism.ptx_sha256": "Checksum of the GPU code",
};
const labelOf = name => LABELS[name] ?? name;
// What a column is, for the pointer: its name in tables, and its definition.
const hintOf = name => run.definitions[name] ? `${name}: ${superscripts(run.definitions[name])}` : name;
const labelled = name => $("span", { title: hintOf(name) }, labelOf(name));
// The columns of a structure, in the order of their labels.
const columnsOf = data => Object.keys(data.columns).sort((a, b) => labelOf(a).localeCompare(labelOf(b)));
const columnOption = name => $("option", { value: name, title: hintOf(name) }, labelOf(name));
