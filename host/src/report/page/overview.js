// The first page: what was made from what, what stands out, all structures, distributions. And which page is shown.

function histogram(bins) {
  const { name } = bins, about = unit(bins.unit), [width, height, left, bottom] = [230, 96, 4, 16];
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": bins.states
    ? `${name}: ${bins.states.map((state, index) => `${state} ${bins.counts[index]}`).join(", ")}`
    : `${name}: from ${short(bins.low)} to ${short(bins.high)} ${about}, median ${short(bins.median)}` });
  const write = (x, anchor, text) => {
    const label = svg("text", { x, y: height - 3, "font-size": 10, fill: "var(--soft)", "text-anchor": anchor });
    label.textContent = text;
    picture.append(label);
  };
  const most = Math.max(...bins.counts, 1), step = (width - 2 * left) / bins.counts.length;
  bins.counts.forEach((value, index) => {
    const tall = value / most * (height - bottom - 6);
    picture.append(svg("rect", { x: left + index * step, y: height - bottom - tall, width: Math.max(step - 1, .5), height: tall, fill: bins.states ? STATES[bins.states[index]]?.[1] ?? "var(--accent)" : "var(--accent)" }));
  });
  if (bins.states) bins.states.forEach((state, index) => write(left + (index + .5) * step, "middle", state));
  else {
    const at = left + (bins.median - bins.low) / (bins.high - bins.low || 1) * (width - 2 * left);
    picture.append(svg("line", { x1: at, x2: at, y1: 2, y2: height - bottom, stroke: "var(--mark)", "stroke-width": 1.5, "stroke-dasharray": "3 2" }));
    for (const [x, anchor, value] of [[left, "start", bins.low], [width - left, "end", bins.high], [at, "middle", bins.median]]) {
      if (anchor === "middle" && (at < 50 || at > width - 50)) continue;
      write(x, anchor, short(value));
    }
  }
  return $("div", { class: "plot" }, $("h3", { title: hintOf(name) }, labelOf(name), about && $("span", { class: "soft-inline" }, ` ${about}`)), picture, run.definitions[name] && $("p", { class: "definition" }, hintOf(name)));
}

const order = run.structures.filter(s => s.detail), detailed = new Map(order.map(s => [s.name, s]));
const addressOf = (name, query = "") => `#${encodeURIComponent(name)}${query && `?${query}`}`;
const link = (name, query = "", text = breaking(name)) => detailed.has(name) ? $("a", { href: addressOf(name, query) }, text) : text;

const named = ligands => Object.entries(ligands).map(([name, times]) => times > 1 ? `${times} ${name}` : name);
// Helices and strands as a small bar; the rest is neither.
const statesBar = states => states && $("span", { class: "states", role: "img", "aria-label": `${Math.round(states[0] * 100)} % helix, ${Math.round(states[1] * 100)} % strand`, title: `${Math.round(states[0] * 100)} % helix, ${Math.round(states[1] * 100)} % strand` },
  $("i", { style: `width:${states[0] * 100}%;background:${STATES.H[1]}` }), $("i", { style: `width:${states[1] * 100}%;background:${STATES.E[1]}` }));
const most = Math.max(...run.structures.map(s => s.residues), 1);
const COLUMNS = [
  { id: "structure", title: "Structure", value: s => s.name, cell: s => [link(s.name), s.title && $("span", { class: "title", title: s.title }, s.title)], text: true },
  { id: "residues", title: "Residues", value: s => s.residues, cell: s => bar(s.residues / most, s.residues.toLocaleString("en")) },
  { id: "plddt", title: "Mean pLDDT", value: s => s.plddt, cell: s => s.plddt == null ? "–" : $("span", { class: "key", style: `border-color:${PLDDT.find(([above]) => s.plddt > above)[1]}` }, s.plddt.toFixed(1)), if: s => s.plddt != null },
  { id: "chains", title: "Chains", value: s => s.chains, cell: s => String(s.chains) },
  ...["ranking", "iptm", "ptm", "ipsae"].map(name => ({ id: name, title: name === "ipsae" ? "Best ipSAE" : SCORES[name].replace("ranking score", "Ranking score"), value: s => s.scores?.[name], cell: s => s.scores?.[name] == null ? "–" : s.scores[name].toFixed(3), if: s => s.scores?.[name] != null })),
  { id: "states", title: "Helix, strand", value: s => s.states?.[0], cell: s => statesBar(s.states) ?? "none", if: s => s.states },
  { id: "best", title: "Best site", value: s => s.best, cell: s => s.best == null ? (s.sites == null ? "–" : "none") : bar(s.best, s.best.toFixed(3)) },
  { id: "sites", title: "Likely sites", value: s => s.sites, cell: s => s.sites == null ? "–" : String(s.sites) },
  { id: "ligands", title: "Ligands", value: s => Object.keys(s.ligands).length, cell: s => {
    const all = named(s.ligands);
    return all.length ? all.slice(0, 4).join(", ") + (all.length > 4 ? ` and ${all.length - 4} more` : "") : "none";
  }, text: true, if: s => Object.keys(s.ligands).length },
  { id: "rsa", title: "Mean exposure", hint: "mean relative accessibility (rsa): 0 is buried, 1 is exposed", value: s => s.rsa, cell: s => s.rsa == null ? "not defined" : short(s.rsa) },
  { id: "notes", title: "Notes", value: s => s.notes, cell: s => String(s.notes) },
];
// Models of one file, by the file's name: x.cif#1, x.cif#2.
const fileOf = s => s.name.match(/^(.+)#\d+$/)?.[1];
// Several models as one line: their first one's cells, and what their values range over.
const rangeOf = (models, { value, cell, text }) => {
  const values = models.map(value);
  if (text || values.some(one => typeof one !== "number")) return cell(models[0]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? cell(models[0]) : `${short(low)} to ${short(high)}`;
};
const state = { by: null, up: true, filter: "", page: 0, opened: new Set() };

function structuresTable() {
  const all = run.structures, columns = COLUMNS.filter(column => !column.if || all.some(column.if));
  const body = $("tbody"), foot = $("div", { class: "tools foot" }), PAGE = 50;
  const fill = () => {
    const wanted = state.filter.toLowerCase(), key = columns.find(({ id }) => id === state.by)?.value;
    const matches = s => s.name.toLowerCase().includes(wanted) || s.title.toLowerCase().includes(wanted) || Object.keys(s.ligands).some(name => name.toLowerCase() === wanted);
    const found = all.filter(matches);
    // What is not defined comes last, either way.
    if (key) found.sort((a, b) => { const [x, y] = [key(a), key(b)]; return x == null ? (y == null ? 0 : 1) : y == null ? -1 : (x < y ? -1 : x > y ? 1 : 0) * (state.up ? 1 : -1); });
    const files = new Map();
    for (const s of found) { const file = fileOf(s) ?? s.name; files.has(file) ? files.get(file).push(s) : files.set(file, [s]); }
    const line = cells => $("tr", {}, columns.map((column, index) => $("td", { class: column.text && (column.id === "ligands" ? "text wide" : "text") }, cells(column, index))));
    const one = s => line(({ cell }) => cell(s));
    const toggle = file => () => { state.opened.has(file) ? state.opened.delete(file) : state.opened.add(file); fill(); };
    const several = (file, models) => line((column, index) => index ? rangeOf(models, column) : [opener(`${file}, ${models.length} models`, state.opened.has(file), toggle(file)), models[0].title && $("span", { class: "title", title: models[0].title }, models[0].title)]);
    const lines = [...files].flatMap(([file, models]) => models.length === 1 ? [() => one(models[0])] : [() => several(file, models), ...(state.opened.has(file) ? models.map(s => () => one(s)) : [])]);
    const pages = Math.max(Math.ceil(lines.length / PAGE), 1);
    state.page = Math.min(state.page, pages - 1);
    body.replaceChildren(...lines.slice(state.page * PAGE, (state.page + 1) * PAGE).map(make => make()));
    const turn = by => () => { state.page += by; fill(); };
    foot.replaceChildren(...(pages > 1 ? [button("← Earlier", turn(-1), { disabled: state.page === 0 }), $("span", { class: "soft-inline" }, `${count(found.length, "structure")}, page ${state.page + 1} of ${pages}`), button("Later →", turn(1), { disabled: state.page + 1 >= pages })]
      : [$("span", { class: "soft-inline" }, found.length < all.length ? `${found.length} of ${count(all.length, "structure")}` : count(all.length, "structure"))]));
  };
  const head = $("tr", {}, columns.map(({ id, title, text, hint }) => $("th", { scope: "col", class: text ? "text" : null, title: hint }, button(title, event => {
    state.up = state.by === id ? !state.up : text === true; state.by = id; fill();
    for (const th of head.children) th.removeAttribute("aria-sort");
    event.target.closest("th").setAttribute("aria-sort", state.up ? "ascending" : "descending");
  }))));
  fill();
  return [all.length > 1 && $("div", { class: "tools" }, $("input", { type: "search", placeholder: "Filter by name, title or ligand", "aria-label": "Filter by name, title or ligand", value: state.filter, oninput: event => { state.filter = event.target.value; state.page = 0; fill(); } })),
    scrolling("Structures", $("table", {}, $("thead", {}, head), body)), foot];
}

// Sites, notes and failures, before the table.
function standing() {
  const out = [$("h2", {}, "What stands out")];
  if (run.standing.length) {
    const isPredicted = run.standing.some(site => site.plddt != null);
    const head = ["Likely site", "Probability", "Residues", "Volume, Å³", ...(isPredicted ? ["Mean pLDDT"] : []), "Ligands there"];
    // Ligands of a trajectory were left out, and not looked for.
    if (run.frames && run.left_out) head.pop();
    out.push($("p", { class: "soft" }, `${run.sites === 1 ? "One site" : `${run.sites.toLocaleString("en")} sites`} with a probability of at least 0.5 to bind a ligand${run.standing.length < run.sites ? `; the likeliest ${run.standing.length}` : ""}. ${VOLUME}`),
      table(head, run.standing.map(site => ({ cells: [
        detailed.has(site.structure) ? $("a", { href: addressOf(site.structure, `site=${site.rank}`) }, `${site.structure}, site ${site.rank}`) : `${site.structure}, site ${site.rank}`, bar(site.probability, site.probability.toFixed(3)), String(site.residues), short(site.volume),
        ...(isPredicted ? [short(site.plddt)] : []), site.ligands.length ? [...new Set(site.ligands)].join(", ") : "none",
      ].slice(0, head.length) })), { label: "Likely sites", texts: [0, 4 + isPredicted] }));
  } else out.push($("p", {}, "No site has a probability of 0.5 or more to bind a ligand."));
  if (run.failed.length) {
    const list = paged(run.failed, 20, some => table(["Input", "Why"], some.map(one => ({ cells: [one.name, one.reason] })), { label: "Failed inputs", texts: [0, 1] }));
    out.push($("h3", { class: "warn" }, `${count(run.failed.length, "input")} failed`), list);
  }
  if (run.notes.length) {
    const total = run.notes.reduce((sum, note) => sum + note.count, 0);
    out.push($("details", { class: "notes", open: run.notes.length <= 3 }, $("summary", {}, `${count(total, "note")} of ${count(run.notes.length, "kind")}`),
      table(["Note", "Times", "First"], run.notes.map(note => ({ cells: [note.kind, String(note.count), link(note.first)] })), { label: "Notes by kind", texts: [0, 2] })));
  }
  return out;
}

// How many frames of a trajectory there are, from when to when, and which were taken.
function framesTaken() {
  const { times } = run, last = times.at(-1), [first, second] = times, all = count(run.frames, "frame");
  if (times.length < 2) return all;
  const at = ({ number, time }) => time == null ? `frame ${number}` : `${time.toLocaleString("en")} ps`;
  const every = second.number - first.number;
  return `${all}, from ${at(first)} to ${at(last)}${every > 1 ? `, every ${every}th of the file` : ""}${first.time == null || second.time == null ? "" : `, ${short(second.time - first.time)} ps apart`}`;
}

const FIRST = ["ss", "site_score", "rsa", "depth", "contact_number", "plddt", "b_factor"];
function overviewPage() {
  const all = run.structures, of = all.length === 1 ? all[0].name : count(all.length, "structure");
  const title = run.title ?? (run.frames ? `Trajectory of ${of}` : `Report on ${of}`);
  document.title = `${title}, ${run.date}`;
  printsAs(title);
  const backend = run.provenance["prism.backend"];
  const inputs = run.inputs.length ? `From ${run.inputs.slice(0, 3).join(", ")}${run.inputs.length > 3 ? ` and ${run.inputs.length - 3} more` : ""}. ` : "";
  const about = [all.length === 1 && all[0].title && $("p", { class: "title" }, all[0].title), run.frames > 0 && $("p", {}, `A trajectory: ${framesTaken()}.${Object.keys(run.left_out ?? {}).length ? ` Its ligands (${named(run.left_out).join(", ")}) are left out.` : ""} The sites and the table are of the first one; `, link(all[0].name, "", "the structure's page"), " has the means and values over time of all.")];
  main.append($("h1", {}, title), ...about.filter(part => part), $("p", { class: "soft" }, `${run.date}. ${inputs}${count(all.length, "structure")}, ${count(run.residues, "residue")}, ${count(run.sites, "likely site")}${run.failed.length ? `, ${run.failed.length} failed` : ""}. prism ${run.provenance["prism.version"]}${backend ? `, ${backend}` : ""}.`),
    $("section", {}, standing()), $("section", {}, $("h2", {}, "Structures"), structuresTable(), togetherNote()));
  const tools = compareTools();
  if (tools) main.append($("section", { class: "hint" }, $("h2", {}, "Two structures side by side"), $("p", { class: "soft" }, "Columns of one minus the other, along an alignment of two chains."), tools));
  // What is the same everywhere has no distribution.
  const varied = run.histograms.filter(bins => bins.states || bins.low < bins.high), same = run.histograms.filter(bins => !varied.includes(bins));
  const first = FIRST.map(name => varied.find(bins => bins.name === name)).filter(bins => bins), rest = varied.filter(bins => !first.includes(bins));
  if (run.histograms.length) main.append($("section", {}, $("h2", {}, "Distributions"),
    $("p", { class: "soft" }, `Of ${count(run.sampled, "residue")}${run.sampled < run.residues ? `, every ${run.stride}th` : ""}; the dashed line is the median.`), $("div", { class: "grid" }, first.map(histogram)),
    rest.length > 0 && later(`${rest.length} more columns`, () => $("div", { class: "grid" }, rest.map(histogram))), same.length > 0 && $("p", { class: "soft" }, `The same for all: ${same.map(bins => `${labelOf(bins.name)} ${short(bins.median)} ${unit(bins.unit)}`.trim()).join(", ")}.`)));
  main.append($("section", {}, $("h2", {}, "How it was computed"), $("dl", {}, Object.entries(run.provenance).filter(([key]) => key !== "prism.ptx_sha256" || !/cpu/i.test(backend ?? "")).flatMap(([key, value]) => [$("dt", { title: key }, labelOf(key)), $("dd", {}, value)]))));
}
// Structures of several chains are no collections of single ones.
function togetherNote() {
  const several = run.structures.filter(s => s.chains > 1).length;
  return several > 0 && $("p", { class: "soft" }, `${count(several, "structure has", "structures have")} several chains, which bury surface in each other: ${several === 1 ? "it is" : "each is"} computed as a whole (--each chain computes chains alone).`);
}
// What is made when it is opened.
function later(title, make) {
  const details = $("details", {}, $("summary", {}, title));
  details.addEventListener("toggle", () => { if (details.children.length === 1) details.append(make()); });
  return details;
}

// ---- Which page.

const [previous, next] = ["previous", "next"].map(id => document.getElementById(id));
let onResize = () => {}, onEscape = () => {}, opened = null, take = null;
// A name as links have it, or as somebody wrote it.
const nameOf = text => { try { return decodeURIComponent(text); } catch { return text; } };
// The structure's name and the query of the address.
const where = () => {
  const [name, query = ""] = location.hash.slice(1).split("?"), parts = new URLSearchParams(query);
  return [order.findIndex(s => s.name === nameOf(name)), parts, name === "compare" && parts.has("a")];
};
const go = by => { const other = order[where()[0] + by]; if (other) location.hash = addressOf(other.name); };
previous.addEventListener("click", () => go(-1));
next.addEventListener("click", () => go(1));
document.querySelector(".skip").addEventListener("click", event => { event.preventDefault(); main.focus(); main.scrollIntoView(); });
addEventListener("resize", () => onResize());
addEventListener("keydown", event => { if (event.key === "Escape") onEscape(); });
// A link to a structure that has no page here says so.
function unknownPage() {
  const name = nameOf(location.hash.slice(1).split("?")[0]);
  if (!name || document.getElementById(name)) return;
  const why = run.structures.some(s => s.name === name) ? `${name} has no page of its own in this report: the first ${count(order.length, "structure")} have one (--details)` : `There is no structure ${name} in this report`;
  main.prepend($("p", { class: "unknown", role: "alert" }, `${why}. This is its first page.`));
}
async function show() {
  const [position, query, isComparison] = where();
  if (position >= 0 && position === opened && take) { take(query); return; }
  redraw = onResize = onEscape = filled = () => {};
  opened = position; take = null;
  main.replaceChildren();
  previous.hidden = next.hidden = position < 0 || order.length < 2;
  previous.disabled = position <= 0; next.disabled = position + 1 >= order.length;
  scrollTo(0, 0);
  if (isComparison) await comparePage(query); else if (position < 0) { overviewPage(); unknownPage(); } else take = await structurePage(order[position], query);
  root.dataset.ready = "1";
}
addEventListener("hashchange", () => { show(); main.focus({ preventScroll: true }); });
dress();
show();
