// Colours, and the legends that say what they mean.

// Cividis: even in lightness, and the same to people who do not tell red from green.
const STOPS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
const parts = colour => [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
const hex = c => "#" + c.map(value => Math.round(value).toString(16).padStart(2, "0")).join("");
const between = (stops, share) => {
  const at = clamp(share, 0, 1) * (stops.length - 1), low = Math.min(Math.floor(at), stops.length - 2);
  return stops[low].map((value, index) => Math.round(value + (at - low) * (stops[low + 1][index] - value)));
};
// On a dark ground the scale begins where it can be told from it.
const scale = () => (root.classList.contains("dark") ? STOPS.slice(2) : STOPS).map(parts);
const UNDEFINED = "#9a9a9a";

// Angles go round a circle, so that -180 and 180 degrees have one colour: Twilight of matplotlib, from its darkest on a light ground.
const CIRCLE = ["#e2d9e2", "#9ebbc9", "#6785be", "#5e43a5", "#421257", "#471340", "#8e2c50", "#ba6657", "#ceac94", "#e2d9e2"];
const circle = () => (root.classList.contains("dark") ? CIRCLE : [...CIRCLE.slice(5), ...CIRCLE.slice(1, 5), CIRCLE[5]]).map(parts);
// What has a sign: the middle is zero.
const SIGNED = new Set(["charge", "charge_local", "hydropathy", "hydropathy_local", "bfactor_z"]);
const signed = () => ["#0072b2", root.classList.contains("dark") ? "#3a3f47" : "#e8e8e8", "#d55e00"].map(parts);


// Okabe and Ito, for what has no order.
const KINDS = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#d55e00", "#0072b2", "#f0e442"];
const kindColour = index => KINDS[index % KINDS.length];

// Secondary structure: its letter, what it is, its colour, and how tall it is drawn.
const STATES = {
  H: ["alpha helix", "#d55e00", 12], G: ["3-10 helix", "#cc79a7", 12], I: ["pi helix", "#e69f00", 12],
  E: ["strand", "#0072b2", 8], B: ["bridge", "#56b4e9", 8], P: ["polyproline II", "#009e73", 5],
  T: ["turn", "#7d796c", 5], S: ["bend", "#aaa698", 3], "-": ["no regular structure", "#d6d3ca", 1],
};

// A predictor's confidence, in the classes and colours of the AlphaFold database.
const PLDDT = [[90, "#0053d6", "very high, above 90"], [70, "#65cbf3", "high, 70 to 90"], [50, "#ffdb13", "low, 50 to 70"], [-1, "#ff7d45", "very low, 50 or below"]];

// Predicted aligned errors, in the greens of the AlphaFold database: dark is sure, white is 30 Å and more.
const GREENS = [[0, 68, 27], [35, 139, 69], [116, 196, 118], [199, 233, 192], [247, 252, 245]];

// Elements that are not drawn in the colour of their residue.
const ELEMENTS = {
  N: "#3050f8", O: "#e8290b", S: "#d4a900", P: "#ff8000", F: "#4fb84f", CL: "#1fbf1f", BR: "#a62929", I: "#940094", SE: "#d48a00",
  FE: "#c8622c", ZN: "#7d80b0", MG: "#2e9e2e", CA: "#b5b000", NA: "#ab5cf2", K: "#8f40d4", MN: "#9c7ac7", CU: "#c88033", NI: "#3fae3f", CO: "#e07a90",
};
// The carbons of what is in no chain, whose colours have other meanings.
const ligandColour = () => root.classList.contains("dark") ? "#e8e8e8" : "#404040";
// Kinds of interactions as `prism edges --kinds` names them: in words, and their colours.
const INTERACTIONS = {
  hbond: ["hydrogen bond", "#56b4e9"], salt_bridge: ["salt bridge", "#d55e00"], pi_stack: ["pi stacking, parallel", "#009e73"], t_stack: ["pi stacking, T-shaped", "#009e73"],
  cation_pi: ["cation-pi", "#e69f00"], disulfide: ["disulfide", "#d4a900"], covalent: ["covalent bond", "#8a8678"], metal: ["metal coordination", "#8f40d4"],
  water_bridge: ["water bridge", "#8fc9c0"], halogen: ["halogen bond", "#1fbf1f"], base_pair: ["base pair", "#6a5acd"], base_stack: ["base stacking", "#cc79a7"],
};
const interactionName = kind => INTERACTIONS[kind]?.[0] ?? kind.replaceAll("_", " "), interactionColour = kind => INTERACTIONS[kind]?.[1] ?? UNDEFINED;

// The points of a site, by the probability that a ligand binds there: pale to dark in the colour of pockets.
const POINTS = ["#d9cdf0", "#5b3a99"].map(parts);
const pointColour = probability => hex(between(POINTS, (probability - .1) / .8));

// What residues are made of. Nucleotides have the colours of their bases.
const RESIDUES = [
  ["hydrophobic", "#8a8678", "ALA VAL LEU ILE MET MSE PRO GLY"], ["aromatic", "#cc79a7", "PHE TYR TRP"], ["polar", "#009e73", "SER THR ASN GLN CYS"],
  ["positive", "#0072b2", "LYS ARG HIS"], ["negative", "#d55e00", "ASP GLU"],
  ["A", "#d55e00", "A DA"], ["C", "#0072b2", "C DC"], ["G", "#009e73", "G DG"], ["U or T", "#cc79a7", "U T DT DU"],
].map(([name, colour, residues]) => ({ name, colour, residues: new Set(residues.split(" ")) }));
const residueKind = name => RESIDUES.find(({ residues }) => residues.has(name));

// A chain in words.
const chainName = (data, chain) => data.chains[chain].trim() ? `chain ${data.chains[chain]}` : "chain without a name";

const key = (colour, text) => $("span", { class: "key", style: `border-color:${colour}` }, text);
const statesKey = states => Object.entries(STATES).filter(([letter]) => states.includes(letter)).map(([letter, [name, colour]]) => key(colour, `${letter} ${name}`));
const ramp = (low, high, stops) => [$("span", {}, low), $("i", { style: `background:linear-gradient(90deg,${stops.join()})` }), $("span", {}, high)];
// More names than fit are counted.
const keys = (all, most = 12) => [...all.slice(0, most), ...(all.length > most ? [$("span", {}, `and ${all.length - most} more, in the same colours again`)] : all.length > KINDS.length ? [$("span", {}, `(${KINDS.length} colours, which repeat)`)] : [])];

// The ions that are drawn as spheres.
function ionKeys(model) {
  const ions = model.ligands.filter(({ kind }) => kind === "ion").map(({ residue }) => [(model.elements(residue)[0] || "").toUpperCase(), model.resname(residue)]);
  return [...new Map(ions.map(([element, name]) => [name, element]))].map(([name, element]) => key(ELEMENTS[element] ?? UNDEFINED, `ion ${name}`));
}

// The range of a column's colours, and their stops. Probabilities, angles and what has a sign have ranges of their own.
function scaleOf(name, values) {
  const [low, high] = range(values), most = Math.max(Math.abs(low), Math.abs(high));
  if (name === "site_score") return { low: 0, high: 1, stops: scale() };
  if (isAngle(name)) return { low: -180, high: 180, stops: circle() };
  if (SIGNED.has(name) && low < 0 && high > 0) return { low: -most, high: most, stops: signed() };
  return { low, high, stops: scale() };
}

// Only where some residue is so.
const undefinedKey = values => values.some(value => value == null) ? [key(UNDEFINED, "not defined")] : [];

// How residues are coloured by a column, and the legend: the colour of a row, and elements.
function colouring(name, model) {
  const { data } = model;
  if (name === "chain") return {
    of: row => kindColour(data.chain[row]),
    legend: keys(model.chains.map(chain => key(kindColour(chain), chainName(data, chain)))),
  };
  if (name === "site") return {
    of: row => data.site[row] == null ? UNDEFINED : kindColour(data.site[row] - 1),
    legend: [...keys(data.sites.map(site => key(kindColour(site.rank - 1), `site ${site.rank}, ${short(site.probability)}`))), key(UNDEFINED, "in no site")],
  };
  if (name === "secondary structure") return {
    of: row => STATES[data.states[row]]?.[1] ?? UNDEFINED, legend: [...statesKey(data.states), ...undefinedKey([...data.states].map(state => STATES[state]))],
  };
  if (name === "kind of residue") {
    const found = new Set(data.resname.map(residueKind));
    return { of: row => residueKind(data.resname[row])?.colour ?? UNDEFINED, legend: [...RESIDUES.filter(kind => found.has(kind)).map(kind => key(kind.colour, kind.name)), found.has(undefined) && key(UNDEFINED, "modified or others")].filter(part => part) };
  }
  const values = data.columns[name];
  if (name === "plddt") return {
    of: row => values[row] == null ? UNDEFINED : PLDDT.find(([above]) => values[row] > above)[1],
    legend: [...PLDDT.map(([, colour, text]) => key(colour, text)), ...undefinedKey(values)],
  };
  const { low, high, stops } = scaleOf(name, values), endLabels = ends(values, ` ${unit(run.units[name])}`.trimEnd());
  const isWhole = name === "site_score" || isAngle(name) || SIGNED.has(name);
  return {
    of: row => values[row] == null ? UNDEFINED : hex(between(stops, (values[row] - low) / (high - low))),
    legend: [...(endLabels.length === 1 ? [key(hex(stops[0]), endLabels[0])] : ramp(...(isWhole ? [short(low), `${short(high)} ${unit(run.units[name])}`.trim()] : endLabels), stops.map(hex))), ...undefinedKey(values)],
  };
}
