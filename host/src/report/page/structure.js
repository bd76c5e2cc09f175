// A structure's page, and the selection that all its parts share.

// The selection in an address: `site=1`, `residue=A_45`, two of those for a pair, `ligand=A_501`, `chain=A&chain=B`, `interaction=12`.
function selectionOf(model, query) {
  const { data } = model, one = name => query.get(name), edgesAt = residues => {
    const own = new Set(residues);
    return model.interactions.filter(edge => own.has(edge.ends[0]) || own.has(edge.ends[1]));
  };
  if (query.has("site")) {
    const site = data.sites.find(({ rank }) => String(rank) === one("site"));
    if (!site) return null;
    // The surface is that of atoms near the centre, and not of the other side of their residues.
    const center = site.center.map((value, axis) => value - data.atoms.center[axis]), ligands = model.ligands.filter(ligand => ligand.site === site.rank).map(ligand => ligand.residue);
    return { query: { site: site.rank }, key: `site=${site.rank}`, residues: site.rows, beside: [], surface: site.rows, wall: point => squared(point, center) < 9 ** 2, points: pointsOf(site), ligands, title: `Site ${site.rank}`,
      about: `Probability ${short(site.probability)}, ${count(site.rows.length, "residue")}, volume ${short(site.volume)} Å³, centre at ${site.center.map(short).join(", ")}${ligands.length ? `; there: ${ligands.map(model.called).join(", ")}` : ""}`,
      edges: model.interactions.filter(edge => edge.ends.some(end => ligands.includes(end))) };
  }
  if (query.has("ligand")) {
    const found = model.ligands.find(({ residue }) => model.id(residue) === one("ligand"));
    const own = found && data.sites.find(({ rank }) => rank === found.site);
    const residue = found?.residue ?? Array.from({ length: model.residues - model.rows }, (_, at) => model.rows + at).find(other => model.id(other) === one("ligand"));
    if (residue == null) return null;
    return { query: { ligand: model.id(residue) }, key: `ligand=${model.id(residue)}`, residues: [residue], beside: found?.near ?? [], surface: found?.near ?? null, points: own ? pointsOf(own) : null, wall: near(model.atoms(residue).map(model.position), 6), title: model.called(residue),
      about: found ? `${found.kind.replace("_", " ")}, ${count(model.names(residue).length, "atom")}${found.buried == null ? "" : `, ${short(found.buried)} Å² of ${short(found.alone)} Å² buried`}${found.site ? `, in site ${found.site}` : ""}` : "", edges: edgesAt([residue]) };
  }
  if (query.has("interaction")) {
    const edge = model.interactions[Number(one("interaction"))];
    if (!edge) return null;
    return { query: { interaction: edge.index }, key: `interaction=${edge.index}`, residues: [...edge.ends], beside: [], title: interactionName(edge.kind), about: `${edge.ends.map((residue, end) => `${model.called(residue)} ${edge.atoms[end].join(" ")}`).join(" and ")}, ${distanceOf(edge)} Å${edge.bridge ? ` to ${edge.bridge.water}` : ""}${edge.class ? `; ${pairName(model, edge)}` : ""}`, edges: [edge] };
  }
  if (query.has("chain")) {
    const names = query.getAll("chain"), chains = names.map(name => data.chains.indexOf(name));
    if (chains.includes(-1)) return null;
    const of = chain => Array.from({ length: model.rows }, (_, row) => row).filter(row => data.chain[row] === chain);
    const pair = model.interfaces.find(pair => pair.chains.every(chain => chains.includes(chain)) && chains.length === 2);
    const whole = chains.map(of), own = pair ? [touching(model, whole[0], whole[1]), touching(model, whole[1], whole[0])].flat() : whole.flat(), inside = new Set(own);
    return { query: { chain: names }, key: names.map(name => `chain=${name}`).join("&"), residues: own, beside: [], sides: pair ? whole : null, isInterface: Boolean(pair), title: pair ? `Interface of ${names.join(" and ")}` : `Chain ${names.join(", ")}`,
      about: pair ? `${pair.area == null ? "" : `${pair.area.toFixed(0)} Å² buried, `}${count(pair.contacts, "contact")}; the residues with atoms within 4.5 Å of the other chain` : "",
      edges: pair ? model.interactions.filter(edge => edge.ends.every(end => inside.has(end)) && data.chain[edge.ends[0]] !== data.chain[edge.ends[1]]) : [] };
  }
  if (query.has("residue")) {
    const residues = query.getAll("residue").map(id => model.byId.get(id));
    if (residues.includes(undefined)) return null;
    const edges = edgesAt(residues).filter(edge => residues.length === 1 || edge.ends.every(end => residues.includes(end)));
    const beside = residues.length === 1 ? [...new Set(edges.flatMap(edge => edge.ends))].filter(residue => residue !== residues[0]) : [];
    const ids = residues.map(model.id);
    return { query: { residue: ids }, key: ids.map(id => `residue=${id}`).join("&"), residues, beside, sides: residues.length === 2 ? residues.map(residue => [residue]) : null, title: residues.map(model.called).join(" and "), edges,
      about: residues.length === 2 ? `${short(Math.sqrt(squared(model.middle[residues[0]], model.middle[residues[1]])))} Å apart${residues.every(residue => residue < model.rows && !model.isNucleotide(residue)) ? ", between the alpha carbons" : ""}` : "" };
  }
  return null;
}

// What a query asks for, in words; null if it asks for nothing.
function wantedBy(query) {
  if (run.frames && query.has("ligand")) return { text: `ligand ${query.get("ligand")} here`, why: "Ligands are left out of trajectories: the page shows proteins and nucleic acids alone." };
  const kinds = { site: "site", ligand: "ligand", interaction: "interaction", chain: "chain", residue: "residue" };
  const wanted = Object.entries(kinds).flatMap(([name, word]) => query.getAll(name).map(value => `${word} ${value}`));
  return wanted.length ? { text: wanted.join(" and "), why: "The address of this page asks for it, and this structure does not have it. The link may be that of another structure, or of another version of this report." } : null;
}

// Residues with an atom within 4.5 Å of those of another chain.
function touching(model, own, others) {
  const isNear = near(others.flatMap(residue => model.atoms(residue).map(model.position)), 4.5);
  return own.filter(residue => model.atoms(residue).some(atom => isNear(model.position(atom))));
}

// The likeliest points of a site's surface.
function pointsOf({ points }) {
  if (!points) return null;
  const [x, y, z] = coordinatesOf(points.deltas, points.steps);
  return points.hundredths.map((probability, at) => ({ at: [x[at], y[at], z[at]], probability: probability / 100 }));
}

// The page. Returns what takes a new selection from the address.
async function structurePage(entry, query) {
  document.title = `${entry.name} – ${run.title ?? "prism report"}, ${run.date}`;
  printsAs(entry.name);
  const data = await detailOf(entry), model = structureOf(data), names = columnsOf(data);
  const likely = data.sites.filter(site => site.probability >= .5);
  const ways = [...(names.includes("plddt") ? ["plddt"] : []), "chain", "site", ...(data.states ? ["secondary structure"] : []), "kind of residue", ...names.filter(name => name !== "plddt")];
  const usual = names.includes("plddt") ? "plddt" : model.chains.length > 1 ? "chain" : data.states ? "secondary structure" : model.hasNucleotides ? "kind of residue" : "chain";
  let current = null, scene = null, timer = null, isFirst = true, isMoved = false, of = () => UNDEFINED;
  const asked = query.get("colour"), byColumn = $("select", { "aria-label": "Colour by" }, ways.map(columnOption));
  byColumn.value = ways.includes(asked) ? asked : usual;

  const address = selection => {
    const parts = new URLSearchParams();
    for (const [name, value] of Object.entries(selection?.query ?? {})) for (const one of [value].flat()) parts.append(name, one);
    if (byColumn.value !== usual) parts.set("colour", byColumn.value);
    const text = parts.toString();
    history.replaceState(null, "", `#${encodeURIComponent(entry.name)}${text ? `?${text}` : ""}`);
  };
  const choose = wanted => {
    const parts = new URLSearchParams();
    if (wanted.residues) wanted.residues.forEach(residue => parts.append("residue", model.id(residue)));
    else if (wanted.chains) wanted.chains.forEach(chain => parts.append("chain", chain));
    else for (const [name, value] of Object.entries(wanted)) parts.set(name, name === "ligand" ? model.id(value) : value);
    select(selectionOf(model, parts));
  };
  // What was clicked on in the structure: a residue with a row, or a ligand.
  const pick = residue => choose(residue < model.rows ? { residues: [residue] } : { ligand: residue });
  const clear = () => select(null);

  const view = viewFrame("The structure in three dimensions; the arrow keys turn it, plus and minus zoom. The tables below have what its colours say", () => scene), { box, tell } = view;
  const legend = $("div", { class: "legend", id: "legend" });
  const shown = $("select", { "aria-label": "A selected pocket as" }, ["surface", "points", "sticks alone"].map(name => $("option", { value: name }, name)));
  const panel = selectionPanel(model, { choose, clear });
  const map = contactMap(model, { choose: rows => choose({ residues: rows }) });
  const tracks = trackPanel(model, { choose: row => choose({ residues: [row] }), windowed: window => map.window(window) });
  const moving = run.frames > 0 && await trajectory(model, { choose: row => choose({ residues: [row] }), frame: positions => { isMoved = positions != null; scene?.frame(positions); select(current, false); } });
  const interactions = interactionsTable(model, { choose }), ligands = ligandsTable(model, { choose });
  const errors = data.pae && predictedErrors(model, { choose: rows => choose({ residues: rows }) });

  const paint = () => {
    const colours = colouring(byColumn.value, model);
    legend.replaceChildren(...colours.legend, ...(model.ligands.some(ligand => ligand.kind !== "ion") ? [key(ligandColour(), "carbon of ligands")] : []), ...ionKeys(model));
    of = colours.of;
    legendOfSelection();
    scene?.paint();
  };
  const surfaceKey = key("var(--pocket)", "surface of the selection");
  const pointsKey = $("span", { class: "ramp" }, ramp("points of the site, probability 0.1", "0.9", POINTS.map(hex)));
  const litKey = key("var(--lit)", "carbon of the selected ligand");
  const legendOfSelection = () => {
    for (const one of [surfaceKey, pointsKey, litKey]) one.remove();
    const hasCarbon = residue => residue >= model.rows && model.elements(residue).includes("C");
    if (model.rows <= MOST_PALE && [...(current?.residues ?? []), ...(current?.ligands ?? [])].some(hasCarbon)) legend.append(litKey);
    if (shown.value === "surface" && current?.surface && !isMoved) legend.append(surfaceKey);
    if (shown.value === "points" && current?.points && !isMoved) legend.append(pointsKey);
  };
  // What an address asks for and the structure does not have is named where a selection would be.
  const selectBy = parts => {
    const selection = selectionOf(model, parts);
    select(selection, true, selection ? null : wantedBy(parts));
  };
  const select = (selection, move = true, missing = null) => {
    current = selection;
    if (!isFirst) address(selection);
    panel.show(selection, missing);
    interactions.select(selection); ligands.select(selection);
    legendOfSelection();
    map.select(selection); tracks.select(selection); if (errors) errors.select(selection); if (moving) moving.select(selection);
    mark();
    // Arrow keys change it faster than a structure is drawn.
    clearTimeout(timer);
    timer = setTimeout(async () => {
      await scene?.select(selection, { as: shown.value, move });
      describe();
    }, 40);
  };

  const mark = () => {
    const chosen = new Set(current?.residues.map(model.id) ?? []);
    for (const one of main.querySelectorAll("tr[data-key]")) one.classList.toggle("is-chosen", one.dataset.key === current?.key);
    for (const one of main.querySelectorAll("button[data-residue]")) one.classList.toggle("is-chosen", chosen.size <= 2 && chosen.has(one.dataset.residue));
  };
  filled = mark;

  // For those who do not see it: what the structure shows.
  const describe = () => {
    if (!scene) return;
    const { sticks, surface, points } = scene.state();
    box.setAttribute("aria-description", current ? `It shows ${current.title}: ${count(sticks, "residue")} as sticks${surface ? ", and a surface" : points ? `, and ${count(points, "point")}` : ""}` : "It shows the whole structure");
  };

  const leftOut = run.left_out && named(run.left_out), kinds = new Map();
  for (const { kind } of model.ligands) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const facts = [run.frames > 0 && `The first of ${framesTaken()}`, leftOut?.length > 0 && `without ${leftOut.join(", ")}, because ligands are left out of trajectories`, count(model.rows, "residue"), `${count(model.chains.length, "chain")}${model.chains.length <= 12 ? ` (${model.chains.map(chain => data.chains[chain].trim() || "without a name").join(", ")})` : ""}`, names.includes("site_score") && count(likely.length, "likely site"),
    ...[...kinds].map(([kind, n]) => count(n, kind.replace("_", " ")))].filter(part => part);
  main.append($("h1", {}, entry.name), ...(data.title ? [$("p", { class: "title" }, data.title)] : []), $("div", { class: "facts" }, $("p", { class: "soft" }, facts.join(", ")), compareTools(entry.name)));
  if (data.notes.length) main.append($("details", { class: "notes" }, $("summary", {}, count(data.notes.length, "note")), $("ul", {}, data.notes.map(note => $("li", {}, note)))));
  main.append($("div", { class: "work" },
    $("section", {}, $("h2", { class: "hidden" }, "Structure"),
      $("div", { class: "tools" }, $("label", {}, "Colour by ", byColumn), $("label", {}, "Pocket as ", shown), button("Whole", () => scene?.reset()), button("Save picture", () => view.save(entry.name))), view.frame, moving && moving.controls, legend),
    panel.element));
  if (model.interfaces.some(pair => pair.area > 0)) main.append($("p", { class: "soft" }, "Its chains bury surface in each other: accessible areas, depths and contacts are those of the chains together (--each chain computes chains alone)."));
  const sections = [
    ["Sites", sitesTable(model, { choose })],
    moving && ["Trajectory", moving.elements],
    ["Along the sequence", tracks.elements],
    (model.interfaces.length > 0 || data.relations.interfaces?.reason) && ["Interfaces of chains", interfacesTable(model, { choose })],
    (model.ligands.length > 0 || data.relations.ligands?.reason) && ["Ligands", ligands.elements],
  ].filter(part => part);
  for (const [title, inside] of sections) main.append($("section", {}, $("h2", {}, title), inside.filter(part => part)));
  if (errors) main.append(errors.section);
  main.append($("div", { class: "two" },
    $("section", { class: "whole" }, $("h2", {}, "Contacts"), $("p", { class: "soft" }, `Alpha carbons closer than ${run.threshold} Å${model.hasNucleotides ? `, or C1' of nucleotides closer than ${NUCLEOTIDES_TOUCH} Å to each other or to an alpha carbon` : ""}, of the residues in the window of the tracks${model.chains.length > 1 ? "; lines part the chains" : ""}.`), map.element),
    $("section", {}, $("h2", {}, "Interactions"), interactions.elements)));

  byColumn.addEventListener("change", () => { paint(); address(current); });
  shown.addEventListener("change", () => select(current, false));
  redraw = () => { map.draw(); if (errors) errors.draw(); if (moving) moving.draw(); tracks.draw(); paint(); };
  onResize = () => { tracks.draw(); if (moving) moving.draw(); scene?.resize(); };
  onEscape = clear;
  map.window(tracks.window());
  redraw();
  selectBy(query);
  isFirst = false;
  try {
    scene = await view3d(box, model, { choose: pick, tell, of: row => of(row) });
    view.ready();
    if (scene && current) await scene.select(current, { as: shown.value });
    describe();
  } catch (error) {
    view.failed(error);
  }
  return next => {
    if (ways.includes(next.get("colour"))) byColumn.value = next.get("colour");
    paint();
    selectBy(next);
  };
}
