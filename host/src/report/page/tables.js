// What was found in a structure, as tables: sites, ligands, interfaces of chains, interactions. A button of a line chooses it.

const VOLUME = "The volume is the space within 6 Å of a site's centre that is free of atoms, also outside of an open pocket.";

function sitesTable(model, { choose }) {
  if (!model.data.columns.site_score) return [$("p", { class: "soft" }, "Sites were not looked for, because no residue has a binding-site score (site_score): it is computed of side chains, and too many atoms are missing.")];
  const { sites } = model.data, isPredicted = sites.some(site => site.plddt != null);
  const about = $("p", { class: "soft" }, sites.length
    ? `Where a ligand is likely to bind, the likeliest first; those with a probability below 0.1 are left out. ${VOLUME} Residues are those within 6 Å of the centre, and those with a binding-site score (site_score) of at least ${run.provenance["prism.site_threshold"]}.${isPredicted ? " Sites of a mean pLDDT below 50 may be placed wrongly." : ""}`
    : "None with a probability of 0.1 or more was found.");
  if (!sites.length) return [about];
  const hasLigands = model.ligands.some(ligand => ligand.site != null);
  const head = ["Site", "Probability", "Residues", "Volume, Å³", ...(isPredicted ? ["Mean pLDDT"] : []), ...(hasLigands ? ["Ligands there"] : []), "Members"];
  const rows = sites.map(site => {
    const inside = model.ligands.filter(ligand => ligand.site === site.rank);
    return { key: `site=${site.rank}`, cells: [
      button(`Site ${site.rank}`, () => choose({ site: site.rank }), { class: "pick" }), bar(site.probability, site.probability.toFixed(3)), String(site.rows.length), short(site.volume),
      ...(isPredicted ? [short(site.plddt)] : []), ...(hasLigands ? [inside.length ? inside.map(ligand => [residueButton(model, ligand.residue, choose), " "]) : "none"] : []),
      $("span", { class: "members" }, site.rows.map(row => [residueButton(model, row, choose), " "])),
    ] };
  });
  // Those that are hardly likely would push everything else down.
  const likely = sites.filter(site => site.probability >= .5).length;
  return [about, paged(rows, Math.max(likely, 3), some => table(head, some, { label: "Sites", texts: [0, ...(hasLigands ? [head.length - 2] : []), head.length - 1] }))];
}

const residueButton = (model, residue, choose) => button(`${model.resname(residue)} ${model.label(residue)}`,
  () => choose(residue < model.rows ? { residues: [residue] } : { ligand: residue }), { class: "residue", title: model.called(residue), "data-residue": model.id(residue) });

// A share as a small bar beside its number.
const bar = (share, text) => $("span", { class: "bar-of" }, $("span", { class: "bar-text" }, text), share != null && $("span", { class: "bar-ground", "aria-hidden": "true" }, $("i", { style: `width:${clamp(share, 0, 1) * 100}%` })));

// Ligands, those of a name together. `select` is called with what is selected.
function ligandsTable(model, { choose }) {
  const reason = model.data.relations.ligands?.reason;
  if (reason) return { elements: [$("p", { class: "soft" }, `They cannot be shown: ${reason}`)], select() {} };
  const head = ["Ligand", "Name", "Kind", "Atoms", "Buried, Å²", "Share buried", "In site", "Bonded to", "Residues within 4 Å"];
  const buried = (area, alone) => [area == null ? "not defined" : short(area), area == null ? "not defined" : bar(area / alone, `${Math.round(area / alone * 100)} %`)];
  const row = ligand => ({ key: `ligand=${model.id(ligand.residue)}`, cells: [
    button(model.label(ligand.residue), () => choose({ ligand: ligand.residue }), { class: "pick" }), model.resname(ligand.residue), ligand.kind.replace("_", " "), String(model.names(ligand.residue).length),
    ...buried(ligand.buried, ligand.alone), ligand.site == null ? "none" : button(`Site ${ligand.site}`, () => choose({ site: ligand.site }), { class: "residue" }),
    ligand.partners.length + ligand.coordinated.length ? [...ligand.partners.map(partner => [residueButton(model, partner, choose), " "]), ...ligand.coordinated.map(partner => [residueButton(model, partner, choose), " (coordination) "])] : "nothing",
    $("span", { class: "members" }, ligand.near.map(near => [residueButton(model, near, choose), " "])),
  ] });
  // Many of a name are one line that opens.
  const byName = new Map(), opened = new Set(), box = $("div");
  for (const ligand of model.ligands) { const name = model.resname(ligand.residue); byName.has(name) ? byName.get(name).push(ligand) : byName.set(name, [ligand]); }
  const group = (name, all) => {
    const known = all.filter(ligand => ligand.buried != null), mean = of => known.length ? known.reduce((sum, ligand) => sum + of(ligand), 0) / known.length : null;
    const inSites = all.filter(ligand => ligand.site != null).length, bonded = all.filter(ligand => ligand.partners.length + ligand.coordinated.length).length, chains = [...new Set(all.map(ligand => model.data.chains[model.chainOf(ligand.residue)] ?? ""))].filter(chain => chain.trim());
    return { key: `name=${name}`, cells: [
      opener(`${all.length} ${name}`, opened.has(name), () => { opened.has(name) ? opened.delete(name) : opened.add(name); fill(); filled(); }), name, [...new Set(all.map(ligand => ligand.kind.replace("_", " ")))].join(", "), String(model.names(all[0].residue).length),
      ...buried(mean(ligand => ligand.buried), mean(ligand => ligand.alone)), inSites ? `${inSites} of ${all.length}` : "none", bonded ? `${bonded} of ${all.length}` : "nothing", `means of ${all.length}${chains.length ? `, in ${chains.length > 12 ? `${chains.length} chains` : `the chains ${chains.join(", ")}`}` : ""}`,
    ] };
  };
  const fill = () => {
    const rows = [...byName].flatMap(([name, all]) => all.length <= 3 ? all.map(row) : [group(name, all), ...(opened.has(name) ? all.map(row) : [])]);
    box.replaceChildren(paged(rows, opened.size ? rows.length : 20, some => table(head, some, { label: "Ligands", texts: [0, 1, 2, 7, 8] })));
  };
  fill();
  return {
    elements: [$("p", { class: "soft" }, "Ligands, ions and residues of glycans; water is left out. Buried is the accessible area that their surroundings cover."), box],
    // A ligand that is selected has its line open.
    select: selection => {
      const closed = model.ligands.filter(({ residue }) => selection?.key === `ligand=${model.id(residue)}`).map(({ residue }) => model.resname(residue)).filter(name => !opened.has(name));
      if (closed.length) { closed.forEach(name => opened.add(name)); fill(); }
    },
  };
}

function interfacesTable(model, { choose }) {
  const reason = model.data.relations.interfaces?.reason, { chains } = model.data;
  if (reason) return [$("p", { class: "soft" }, `They cannot be shown: ${reason}`)];
  const most = Math.max(...model.interfaces.map(pair => pair.area ?? 0), 1);
  const sorted = [...model.interfaces].sort((a, b) => (b.area ?? -1) - (a.area ?? -1));
  const row = pair => {
    const names = pair.chains.map(chain => chains[chain]);
    return { key: `chain=${names[0]}&chain=${names[1]}`, cells: [
      button(names.map(name => name.trim() || "without a name").join(", "), () => choose({ chains: names }), { class: "pick" }), pair.area == null ? "not defined" : bar(pair.area / most, pair.area.toFixed(0)),
      ...pair.residues.map(String), String(pair.contacts),
    ] };
  };
  const isUndefined = sorted.every(pair => pair.area == null);
  return [$("p", { class: "soft" }, `Pairs of chains that bury surface in each other, or are in contact. The buried area is summed over both, and the residues are those that lose accessible area; contacts are pairs of residues with heavy atoms within 4.5 Å.${isUndefined ? " Areas are not defined here, because atoms of side chains are missing." : ""}`),
    paged(sorted, 15, some => table(["Chains", "Buried area, Å²", "Residues of the first", "of the second", "Contacts"], some.map(row), { label: "Interfaces" }))];
}

// How far the ends of an interaction are apart, as numbers in Å: of a bridge, both from its water; of rings and bases, between their centres.
const OF_CENTRES = new Set(["base_pair", "base_stack", "pi_stack", "t_stack", "cation_pi"]);
const distanceOf = edge => edge.bridge ? edge.bridge.legs.map(short).join(" and ") : short(edge.distance);
// A base pair by the edges that meet (Leontis and Westhof 2001).
const EDGES = { W: "Watson-Crick", H: "Hoogsteen", S: "sugar edge" };
function pairName(model, { class: [turn, ...edges], ends }) {
  const bases = ends.map(end => (end < model.rows ? model.parent(end) : model.resname(end)).replace(/^D(?=.)/, "").replace("T", "U")).sort().join("");
  if (turn === "c" && edges.join("") === "WW" && ["AU", "CG", "GU"].includes(bases)) return bases === "GU" ? "wobble" : "Watson-Crick";
  return `${turn === "c" ? "cis" : "trans"} ${edges.map(edge => EDGES[edge] ?? "no edge").join(", ")}`;
}
const atomsOf = names => names.length > 4 ? $("span", { class: "soft-inline", title: names.join(" ") }, " ring") : $("span", { class: "soft-inline" }, ` ${names.join(" ")}`);

// The interactions of the selection, or else those of a kind. `select` is called with what is selected.
function interactionsTable(model, { choose }) {
  const found = model.data.relations.interactions, only = text => ({ elements: [$("p", { class: "soft" }, text)], select() {} });
  if (!found) return only("They are not known: a data set does not have the names of atoms.");
  if (found.reason) return only(`They cannot be shown: ${found.reason}`);
  const counts = new Map(found.kinds.map(({ name }) => [name, 0]));
  model.interactions.forEach(one => counts.set(one.kind, counts.get(one.kind) + 1));
  const present = found.kinds.filter(({ name }) => counts.get(name) > 0);
  // What is rare comes first: bonds of the backbone are many.
  const rare = present.find(({ name }) => name === "base_pair") ?? present.find(({ name }) => !["hbond", "water_bridge", "base_stack"].includes(name)) ?? present[0];
  if (!rare) return only("None were found.");
  const ofSelection = $("option", { value: "" });
  const kind = $("select", { "aria-label": "Which interactions" }, present.map(({ name }) => $("option", { value: name }, `${interactionName(name)} (${counts.get(name)})`)));
  kind.value = rare.name;
  const box = $("div"), rule = $("p", { class: "soft" });
  let chosen = [];
  const fill = () => {
    const shown = kind.value ? model.interactions.filter(one => one.kind === kind.value) : chosen, isPair = shown.some(one => one.kind === "base_pair");
    rule.textContent = kind.value ? sentence(superscripts(found.kinds.find(({ name }) => name === kind.value).rule)) : "Of the selection, all kinds.";
    const row = one => ({ key: `interaction=${one.index}`, cells: [
      [button(interactionName(one.kind), () => choose({ interaction: one.index }), { class: "pick" }), one.bridge && $("span", { class: "soft-inline" }, ` over ${one.bridge.water}`)], distanceOf(one), ...one.ends.map((residue, end) => [residueButton(model, residue, choose), atomsOf(one.atoms[end])]),
      ...(isPair ? [one.class ? `${pairName(model, one)} (${one.class})` : ""] : []),
    ] });
    const between = shown.length && shown.every(one => OF_CENTRES.has(one.kind)) ? "Between centres, Å" : "Distance, Å";
    box.replaceChildren(paged(shown, 15, some => table(["Kind", between, "First", "Second", ...(isPair ? ["Class"] : [])], some.map(row), { label: "Interactions", texts: [0, 2, 3, 4] })));
  };
  kind.addEventListener("change", () => { fill(); filled(); });
  fill();
  return {
    elements: [$("div", { class: "tools" }, kind), rule, box,
      $("p", { class: "soft" }, `${found.dry ? `Of the atoms of ${run.frames ? "proteins and nucleic acids in the first frame" : "this structure"} alone, without water and the file's hydrogens. ` : "The same as from prism edges --kinds; a hydrogen bond between the atoms of a salt bridge is listed as that, and rings of stacked bases as their stack. "}Without hydrophobic contacts, weak hydrogen bonds and clashes${found.elsewhere ? `, and without ${found.elsewhere.toLocaleString("en")} whose ends are not in this page, mostly water` : ""}.`)],
    select: selection => {
      // A line of the list that is chosen does not shorten the list.
      if (selection?.query.interaction != null) return;
      chosen = selection?.edges ?? [];
      const isOfSelection = kind.value === "";
      ofSelection.textContent = `of the selection (${chosen.length})`;
      if (chosen.length) { kind.prepend(ofSelection); kind.value = ""; } else { ofSelection.remove(); if (isOfSelection) kind.value = rare.name; }
      fill();
    },
  };
}

// What is known about the chosen residues.
function selectionPanel(model, { choose, clear }) {
  const box = $("section", { class: "chosen", "aria-label": "Selection", "aria-live": "polite" });
  const names = columnsOf(model.data);
  const usual = ["plddt", "site_score", "rsa", "sasa", "depth", "contact_number", "b_factor", "B factor"].filter(name => names.includes(name));
  const value = (name, row) => [$("dt", { title: hintOf(name) }, labelOf(name)), $("dd", {}, `${short(model.data.columns[name][row])} ${unit(run.units[name])}`)];
  const values = row => {
    const state = model.data.states && STATES[model.data.states[row]], site = model.data.site[row];
    const rest = names.filter(name => !usual.includes(name) && model.data.columns[name][row] != null);
    return [$("dl", {}, usual.map(name => value(name, row)), state && [$("dt", {}, "secondary structure"), $("dd", {}, state[0])], site != null && [$("dt", {}, "site"), $("dd", {}, button(`Site ${site}`, () => choose({ site }), { class: "residue" }))]),
      rest.length > 0 && $("details", {}, $("summary", {}, `${rest.length} more columns`), $("dl", {}, rest.map(name => value(name, row))))];
  };
  // Distances of interactions of a kind, with what they lead over or are.
  const linesOf = found => found.map(edge => edge.class ? pairName(model, edge) : `${distanceOf(edge)}\u00a0Å${edge.bridge ? ` over ${edge.bridge.water}` : ""}`).join(", ");
  // Interactions by the pair of residues, in the order in which these come.
  const partners = (residues, edges) => {
    if (!edges.length) return null;
    const pairs = new Map();
    for (const edge of edges) {
      // What is selected comes first. Of two that are, or that are not, the first of the structure does, and ligands come last.
      const [a, b] = [...edge.ends].sort((one, two) => one - two), isFirst = residues.includes(a) || !residues.includes(b);
      const [own, other] = isFirst ? [a, b] : [b, a], ends = `${own} ${other}`;
      pairs.has(ends) ? pairs.get(ends).edges.push(edge) : pairs.set(ends, { own, other, edges: [edge] });
    }
    const line = ({ own, other, edges: found }) => $("li", {}, residues.length > 1 && [residueButton(model, own, choose), " and "], residueButton(model, other, choose), [...new Set(found.map(edge => edge.kind))].map(kind =>
      [" ", $("span", { class: "key", style: `border-color:${interactionColour(kind)}` }, interactionName(kind)), ` ${linesOf(found.filter(edge => edge.kind === kind))}`]));
    return [$("h4", {}, `${count(edges.length, "interaction")}${pairs.size < edges.length ? ` of ${count(pairs.size, "pair")} of residues` : ""}`), paged([...pairs.values()], 15, some => $("ul", { class: "edges" }, some.map(line)))];
  };
  const members = residues => paged(residues, 24, some => $("p", { class: "members" }, some.map(residue => [residueButton(model, residue, choose), " "])));
  return {
    element: box,
    // `missing` is what the address asks for and why it is not there, if the structure does not have it.
    show: (selection, missing) => {
      box.classList.toggle("hint", !selection && !missing);
      if (missing) {
        box.replaceChildren($("h3", { class: "warn" }, `There is no ${missing.text}`), $("p", {}, missing.why));
        return;
      }
      if (!selection) {
        box.replaceChildren($("h3", {}, "Nothing is selected"), $("p", { class: "soft" }, "Click on the structure, a site, a ligand, the tracks or the contact map. The address of this page then leads to the selection. Escape ends it."));
        return;
      }
      const { residues, edges } = selection;
      const single = residues.length === 1 && residues[0] < model.rows;
      box.replaceChildren(...[$("h3", {}, selection.title, button("×", clear, { class: "close", "aria-label": "End the selection" })), selection.about && $("p", { class: "soft" }, selection.about),
        run.frames > 0 && $("p", { class: "soft" }, "Its values and interactions are those of the first frame."), single ? values(residues[0]) : residues.length > 1 && members(residues), partners(residues, edges)].flat(2).filter(part => part));
    },
  };
}
