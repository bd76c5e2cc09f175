"use strict";
// In a function of its own: the viewer has names of its own.
(() => {
const run = JSON.parse(document.getElementById("run").textContent);
const main = document.getElementById("main");
const $ = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child != null));
  return element;
};
const svg = (tag, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const unit = text => (text ?? "").replace("^-2", "⁻²").replace("^2", "²").replace("^3", "³");
const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
const short = x => x == null ? "–" : Number.isInteger(x) ? String(x) : Math.abs(x) >= 1000 ? x.toFixed(0)
  : Math.abs(x) < .001 ? x.toExponential(0) : String(Number(x.toPrecision(3)));

// Light or dark: what the system says until the button is used.
const root = document.documentElement;
const asked = matchMedia("(prefers-color-scheme: dark)");
let chosen = null, redraw = () => {};
const dress = () => { root.classList.toggle("dark", chosen ?? asked.matches); redraw(); };
asked.addEventListener("change", dress);
document.getElementById("theme").addEventListener("click", () => { chosen = !root.classList.contains("dark"); dress(); });

// Cividis: even in lightness, and the same to people who do not tell red from green.
const STOPS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
const rgb = STOPS.map(stop => [1, 3, 5].map(at => parseInt(stop.slice(at, at + 2), 16)));
// On a dark ground the scale begins where it can be told from it.
const begin = () => root.classList.contains("dark") ? 2 : 0;
const colour = share => {
  if (!(share >= 0 || share < 0)) return [150, 150, 150];
  const at = begin() + Math.min(Math.max(share, 0), 1) * (rgb.length - 1 - begin()), low = Math.min(Math.floor(at), rgb.length - 2);
  return rgb[low].map((value, index) => Math.round(value + (at - low) * (rgb[low + 1][index] - value)));
};
const hex = c => "#" + c.map(value => value.toString(16).padStart(2, "0")).join("");
// Okabe and Ito, for what has no order.
const KINDS = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#d55e00", "#0072b2", "#f0e442"];
// Secondary structure: its letter, what it is, its colour, and how tall it is drawn.
const STATES = {
  H: ["alpha helix", "#d55e00", 12], G: ["3-10 helix", "#cc79a7", 12], I: ["pi helix", "#e69f00", 12],
  E: ["strand", "#0072b2", 8], B: ["bridge", "#56b4e9", 8], P: ["polyproline II", "#009e73", 5],
  T: ["turn", "#8a8678", 5], S: ["bend", "#b0aca0", 3], "-": ["none", "#b0aca0", 1],
};
// A predictor's confidence, in the classes and colours of the AlphaFold database.
const PLDDT = [[90, "#0053d6", "above 90"], [70, "#65cbf3", "70 to 90"], [50, "#ffdb13", "50 to 70"], [-1, "#ff7d45", "50 or below"]];
const plddtClass = value => value == null ? undefined : PLDDT.find(([above]) => value > above);
const key = (colour, text) => $("span", { class: "key", style: `border-color:${colour}` }, text);
const statesKey = states => Object.entries(STATES).filter(([letter]) => states.includes(letter)).map(([letter, [name, colour]]) => key(colour, `${letter} ${name}`));
const range = values => {
  let low = Infinity, high = -Infinity;
  for (const value of values) if (value != null) { if (value < low) low = value; if (value > high) high = value; }
  return low <= high ? [low, high === low ? low + 1 : high] : [0, 1];
};

async function unpack(id) {
  const text = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
let viewer = null;
const viewerLibrary = () => viewer ??= unpack("viewer").then(text => {
  document.head.append($("script", {}, text));
  return globalThis["3Dmol"] ?? globalThis.$3Dmol;
});

// ---- All structures.

function histogram(name, unit, bins) {
  const [width, height, left, bottom] = [230, 96, 4, 16];
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": bins.states
    ? `${name}: ${bins.states.map((state, index) => `${state} ${bins.counts[index]}`).join(", ")}`
    : `${name}: from ${short(bins.low)} to ${short(bins.high)} ${unit}, median ${short(bins.median)}` });
  const heading = $("h3", {}, name, unit ? $("span", { class: "soft" }, ` ${unit}`) : null);
  const write = (x, anchor, text) => {
    const label = svg("text", { x, y: height - 3, "font-size": 10, fill: "var(--soft)", "text-anchor": anchor });
    label.textContent = text;
    picture.append(label);
  };
  const most = Math.max(...bins.counts, 1), step = (width - 2 * left) / bins.counts.length;
  bins.counts.forEach((value, index) => {
    const tall = value / most * (height - bottom - 6);
    picture.append(svg("rect", { x: left + index * step, y: height - bottom - tall, width: Math.max(step - 1, .5), height: tall, fill: "var(--accent)" }));
  });
  if (bins.states) {
    bins.states.forEach((state, index) => write(left + (index + .5) * step, "middle", state));
    return $("div", { class: "plot" }, heading, picture);
  }
  const at = left + (bins.median - bins.low) / (bins.high - bins.low || 1) * (width - 2 * left);
  picture.append(svg("line", { x1: at, x2: at, y1: 2, y2: height - bottom, stroke: "var(--mark)", "stroke-width": 1.5, "stroke-dasharray": "3 2" }));
  for (const [x, anchor, value] of [[left, "start", bins.low], [width - left, "end", bins.high], [at, "middle", bins.median]]) {
    if (anchor === "middle" && (at < 50 || at > width - 50)) continue;
    write(x, anchor, short(value));
  }
  return $("div", { class: "plot" }, heading, picture);
}

const COLUMNS = [
  ["structure", "Structure", s => s.name], ["residues", "Residues", s => s.residues], ["chains", "Chains", s => s.chains],
  ["sites", "Likely sites", s => s.sites], ["best", "Best site", s => s.best], ["rsa", "Mean RSA", s => s.rsa],
  ["contacts", "Mean contacts", s => s.contacts], ["notes", "Notes", s => s.notes],
];
const state = { by: null, up: true, filter: "", page: 0 };

function index() {
  document.title = `prism report: ${count(run.structures.length, "structure")}, ${run.date}`;
  const all = run.structures;
  main.append(
    $("h1", {}, `Report on ${all.length === 1 ? all[0].name : count(all.length, "structure")}`), $("p", { class: "soft" }, `${run.date}, ${run.provenance["prism.backend"] ?? ""}${run.provenance["prism.backend"] ? ", " : ""}prism ${run.provenance["prism.version"]}`),
    $("div", { class: "cards" }, [[all.length, "structures"], [run.residues, "residues"], [run.sites, `likely site${run.sites === 1 ? "" : "s"}`], [run.failed.length, "failed"], [run.notes.reduce((sum, note) => sum + note.count, 0), "notes"]]
      .map(([n, what]) => {
        const inside = [$("b", {}, n.toLocaleString("en")), $("span", {}, what)];
        const to = n > 0 && { structures: "Structures", failed: "Failed", notes: "Notes by kind" }[what];
        return to ? $("button", { type: "button", class: "card", onclick: () => [...main.querySelectorAll("h2")].find(h2 => h2.textContent === to).scrollIntoView() }, inside) : $("div", { class: "card" }, inside);
      })));
  if (run.histograms.length) {
    main.append($("h2", {}, "Distributions"), $("p", { class: "soft" }, `Of ${count(run.sampled, "residue")}${run.sampled < run.residues ? `, every ${run.stride}th` : ""}; the dashed line is the median.`),
      $("div", { class: "grid" }, run.histograms.map(bins => histogram(bins.name, unit(bins.unit), bins))));
  }
  if (run.notes.length) {
    main.append($("h2", {}, "Notes by kind"), $("div", { class: "scroll" }, $("table", {},
      $("thead", {}, $("tr", {}, $("th", { class: "text" }, "Note"), $("th", {}, "Times"), $("th", { class: "text" }, "First"))),
      $("tbody", {}, run.notes.map(note => $("tr", {}, $("td", { class: "text" }, note.kind), $("td", {}, String(note.count)), $("td", { class: "text" }, link(note.first))))))));
  }
  if (run.failed.length) {
    const shown = run.failed.slice(0, 500);
    main.append(...[$("h2", {}, "Failed"), $("div", { class: "scroll" }, $("table", {},
      $("thead", {}, $("tr", {}, $("th", { class: "text" }, "Input"), $("th", { class: "text" }, "Why"))),
      $("tbody", {}, shown.map(one => $("tr", {}, $("td", { class: "text" }, one.name), $("td", { class: "text" }, one.reason)))))),
      shown.length < run.failed.length ? $("p", { class: "soft" }, `and ${count(run.failed.length - shown.length, "further input")}`) : null].filter(part => part));
  }
  const body = $("tbody"), foot = $("div", { class: "tools", style: "margin-top:10px" }), PAGE = 50;
  const fill = () => {
    const wanted = state.filter.toLowerCase(), key = COLUMNS.find(([id]) => id === state.by)?.[2];
    const found = all.filter(s => s.name.toLowerCase().includes(wanted));
    if (key) found.sort((a, b) => { const [x, y] = [key(a), key(b)]; return (x == null ? 1 : y == null ? -1 : x < y ? -1 : x > y ? 1 : 0) * (state.up ? 1 : -1); });
    const pages = Math.max(Math.ceil(found.length / PAGE), 1);
    state.page = Math.min(state.page, pages - 1);
    body.replaceChildren(...found.slice(state.page * PAGE, (state.page + 1) * PAGE).map(s => $("tr", {}, COLUMNS.map(([id, , value]) =>
      $("td", id === "structure" ? { class: "text" } : {}, id === "structure" ? link(s.name) : id === "chains" ? String(value(s)) : short(value(s)))))));
    const turn = by => () => { state.page += by; fill(); };
    foot.replaceChildren($("button", { type: "button", disabled: state.page === 0, onclick: turn(-1) }, "← Earlier"),
      $("span", { class: "soft", style: "margin:0" }, `${count(found.length, "structure")}, page ${state.page + 1} of ${pages}`),
      $("button", { type: "button", disabled: state.page + 1 >= pages, onclick: turn(1) }, "Later →"));
  };
  const head = $("tr", {}, COLUMNS.map(([id, name]) => $("th", id === "structure" ? { class: "text", scope: "col" } : { scope: "col" }, $("button", {
    type: "button", onclick: event => {
      state.up = state.by === id ? !state.up : id === "structure"; state.by = id; fill();
      for (const th of head.children) th.removeAttribute("aria-sort");
      event.target.closest("th").setAttribute("aria-sort", state.up ? "ascending" : "descending");
    } }, name))));
  main.append($("h2", {}, "Structures"),
    $("div", { class: "tools" }, $("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter by name", value: state.filter, oninput: event => { state.filter = event.target.value; state.page = 0; fill(); } })),
    $("div", { class: "scroll" }, $("table", {}, $("thead", {}, head), body)), foot,
    $("h2", {}, "How it was computed"), $("dl", {}, Object.entries(run.provenance).flatMap(([key, value]) => [$("dt", {}, key.replace(/^prism\./, "")), $("dd", {}, value)])));
  fill();
}
const detailed = new Map(run.structures.filter(s => s.detail).map(s => [s.name, s]));
const link = name => detailed.has(name) ? $("a", { href: "#" + encodeURIComponent(name) }, name) : name;

// ---- One structure.

// The atoms that the viewer draws its tube through: alpha carbons and, so that it bends smoothly, points of a Catmull-Rom curve between
// those that are linked. What is not linked is far apart in `resi`, since the viewer joins neighbours.
function tube({ ca, chain }) {
  const linked = (a, b) => ca[a] && ca[b] && chain[a] === chain[b] && Math.hypot(...ca[a].map((value, axis) => value - ca[b][axis])) < 4.3;
  const steps = ca.length > 4000 ? 1 : 4, atoms = [];
  let resi = 0;
  const add = (row, [x, y, z]) => atoms.push({ x, y, z, row, resi: resi++, chain: String(chain[row]), atom: "CA", elem: "C", resn: "ALA", hetflag: false, bonds: [], bondOrder: [] });
  for (let row = 0; row < ca.length; row++) {
    if (!ca[row]) continue;
    add(row, ca[row]);
    if (!linked(row, row + 1)) { resi += 2; continue; }
    const [p, q] = [ca[row], ca[row + 1]], before = linked(row - 1, row) ? ca[row - 1] : p, after = linked(row + 1, row + 2) ? ca[row + 2] : q;
    for (let step = 1; step < steps; step++) {
      const t = step / steps;
      add(t < .5 ? row : row + 1, p.map((value, axis) => {
        const [a, d] = [before[axis], after[axis]], c = q[axis];
        return value + .5 * t * (c - a + t * (2 * a - 5 * value + 4 * c - d + t * (3 * (value - c) + d - a)));
      }));
    }
  }
  return atoms;
}

// Predicted aligned errors, in the greens of the AlphaFold database: dark is sure, white is 30 Å and more.
const GREENS = [[0, 68, 27], [35, 139, 69], [116, 196, 118], [199, 233, 192], [247, 252, 245]];
const green = share => {
  const at = Math.min(share, 1) * (GREENS.length - 1), low = Math.min(Math.floor(at), GREENS.length - 2);
  return GREENS[low].map((value, index) => Math.round(value + (at - low) * (GREENS[low + 1][index] - value)));
};

// The section of the matrix and the scores; choose marks two residues in the other pictures.
function predicted(data, of, choose) {
  const pae = data.pae, heading = $("h2", {}, "Predicted aligned errors");
  if (pae.reason) return { section: $("section", {}, heading, $("p", {}, `They cannot be shown: ${pae.reason}`)), draw() {} };
  const bytes = Uint8Array.from(atob(pae.errors), c => c.charCodeAt(0)), rows = pae.rows, side = rows.length;
  const canvas = $("canvas", { tabindex: 0, role: "img", width: side, height: side,
    "aria-label": "Predicted aligned errors: a row for each residue on which both structures are aligned; the arrow keys move along it" });
  const readout = $("p", { class: "readout", "aria-live": "polite" }, "Click on the matrix, or move along it by the arrow keys: two residues are marked in the structure.");
  const error = (i, j) => bytes[i * side + j] === 255 ? null : bytes[i * side + j] / pae.steps;
  let at = [0, 0];
  const draw = () => {
    const pen = canvas.getContext("2d"), image = pen.createImageData(side, side);
    bytes.forEach((value, index) => image.data.set([...(value === 255 ? [150, 150, 150] : green(value / pae.steps / 30)), 255], 4 * index));
    pen.putImageData(image, 0, 0);
    pen.fillStyle = "#000000";
    for (let row = 1; row < side; row++) if (data.chain[rows[row]] !== data.chain[rows[row - 1]]) {
      pen.fillRect(row, 0, Math.max(side / 400, .5), side); pen.fillRect(0, row, side, Math.max(side / 400, .5));
    }
    pen.strokeStyle = css("--mark"); pen.lineWidth = Math.max(side / 200, .5);
    pen.strokeRect(at[1] - side / 100, at[0] - side / 100, side / 50, side / 50);
  };
  const go = (i, j) => {
    at = [i, j].map(place => Math.min(Math.max(place, 0), side - 1));
    const [row, column] = at.map(place => rows[place]), value = error(...at);
    readout.textContent = `${of(column)}, aligned on ${of(row)}: ${value == null ? "no error" : `${short(value)} Å`}`;
    draw(); choose(row, column);
  };
  canvas.addEventListener("click", event => go(...[event.offsetY / canvas.clientHeight, event.offsetX / canvas.clientWidth].map(share => Math.floor(share * side))));
  canvas.addEventListener("keydown", event => {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (by) { event.preventDefault(); go(at[0] + by[0], at[1] + by[1]); }
  });
  // The surest pair of residues of two chains.
  const surest = chains => {
    let best = null;
    for (let i = 0; i < side; i++) for (let j = 0; j < side; j++) {
      const own = [i, j].map(place => data.chains[data.chain[rows[place]]]), value = error(i, j);
      if (own[0] === chains[0] && own[1] === chains[1] && value != null && (!best || value < best[2])) best = [i, j, value];
    }
    if (best) go(best[0], best[1]);
  };
  const own = Object.entries(pae.own).map(([name, value]) => `${name} ${short(value)}`).join(", ");
  const legend = $("div", { class: "legend" }, $("span", {}, "0"), $("i", { style: `background:linear-gradient(90deg,${GREENS.map(hex).join()})` }), $("span", {}, "30 Å or more"));
  const table = $("div", { class: "scroll" }, $("table", {},
    $("thead", {}, $("tr", {}, $("th", { class: "text" }, "Chains"), pae.columns.map(name => $("th", {}, name)))),
    $("tbody", {}, pae.pairs.map(pair => $("tr", {}, $("td", { class: "text" }, $("button", { type: "button", onclick: () => surest(pair.chains) }, pair.chains.join(", "))),
      pae.columns.map(name => $("td", {}, short(pair.numbers[name]))))))));
  const section = $("section", {}, heading, $("div", { class: "two" },
    $("div", { class: "map" }, $("p", { class: "soft" }, `In Å; a row for each residue on which both structures are aligned${side < data.residue.length ? `, ${side} of ${data.residue.length}` : ""}; lines part the chains.`), canvas, legend, readout),
    $("div", {}, $("p", { class: "soft" }, `The predictor's own: ${own || "none"}. The scores of two chains are the better of both directions, as prism confidence defines them; a button marks their surest residues.`), table,
      pae.warnings.map(text => $("p", {}, `Warning: ${text}`)))));
  return { section, draw };
}

async function page(entry) {
  document.title = `${entry.name} – prism report, ${run.date}`;
  const data = JSON.parse(await unpack(`s${entry.detail - 1}`));
  const names = Object.keys(data.columns), n = data.residue.length;
  const of = row => `${data.residue[row]} (${data.resname[row]})`;
  main.append($("h1", {}, entry.name),
    $("p", { class: "soft" }, `${count(n, "residue")}, ${count(data.chains.length, "chain")} (${data.chains.join(", ")}), ${count(data.sites.filter(site => site.probability >= .5).length, "likely site")}`));
  if (data.notes.length) main.append($("details", { open: data.notes.length < 4 }, $("summary", {}, count(data.notes.length, "note")), $("ul", {}, data.notes.map(note => $("li", {}, note)))));

  // Three dimensions, and the map beside it.
  const byColumn = $("select", { "aria-label": "Colour by" }, [...names.map(name => $("option", { value: name }, name)), $("option", { value: "site" }, "site"), $("option", { value: "chain" }, "chain"), data.states ? $("option", { value: "states" }, "secondary structure") : null].filter(part => part));
  byColumn.value = names.includes("site_score") ? "site_score" : names[0];
  const view = $("div", { class: "view", role: "img", "aria-label": "The structure in three dimensions, as a tube through the alpha carbons; the table of residues below has what its colours say" });
  const legend = $("div", { class: "legend" }), canvas = $("canvas", { role: "img", "aria-label": `Contact map: ${run.threshold} Å` });
  main.append($("div", { class: "two" },
    $("section", {}, $("h2", {}, "Structure"), $("div", { class: "tools" }, $("label", {}, "Colour by ", byColumn)), view, legend),
    $("section", { class: "map" }, $("h2", {}, "Contacts"), $("p", { class: "soft" }, `Alpha carbons closer than ${run.threshold} Å, in the order of residues${data.chains.length > 1 ? "; lines part the chains" : ""}.`), canvas)));

  const errors = data.pae && predicted(data, of, (row, other) => { partner = other; move(row); });
  if (errors) main.append(errors.section);

  // Tracks.
  const first = ["rsa", "depth", "contact_number", "plddt", "b_factor", "B factor", "site_score"].filter(name => names.includes(name));
  const shown = new Set(first.length ? first : names.slice(0, 5));
  const tracks = $("canvas", { tabindex: 0, role: "img", "aria-label": "Values along the sequence; the arrow keys move along it" });
  const readout = $("p", { class: "readout", "aria-live": "polite" });
  const add = $("select", { "aria-label": "Show or hide a track" }, $("option", { value: "" }, "Show or hide a track…"), names.map(name => $("option", { value: name }, name)));
  main.append($("h2", {}, "Along the sequence"), $("div", { class: "tools" }, add), $("div", { class: "tracks" }, tracks), readout, data.states ? $("div", { class: "legend" }, statesKey(data.states)) : "");

  if (data.sites.length) {
    const predicted = data.sites.some(site => site.plddt != null);
    const head = ["Site", "Probability", ...(predicted ? ["Mean pLDDT"] : []), "Residues", "Volume, Å³", "x", "y", "z"];
    main.append($("h2", {}, "Sites"), $("p", { class: "soft" }, `The likeliest first; those with a probability below 0.1 are left out. Its residues are those within 6 Å of its centre, and those with a site_score of at least ${run.provenance["prism.site_threshold"]}.${predicted ? " Sites of a mean pLDDT below 50 may be placed wrongly." : ""}`), $("div", { class: "scroll sites" }, $("table", {}, $("thead", {}, $("tr", {}, head.map(text => $("th", { scope: "col" }, text)), $("th", { class: "text", scope: "col" }, "Members"))),
      $("tbody", {}, data.sites.map(site => $("tr", {}, $("td", {}, String(site.rank)), [site.probability, ...(predicted ? [site.plddt] : []), site.residues.length, site.volume, ...site.center].map(value => $("td", {}, short(value))),
        $("td", { class: "text" }, site.residues.join(" "))))))));
  } else main.append($("h2", {}, "Sites"), $("p", { class: "soft" }, "None with a probability of 0.1 or more was found."));

  let cursor = 0, partner = null;
  const values = name => data.columns[name];
  const rowColour = name => {
    if (name === "chain") return row => KINDS[data.chain[row] % KINDS.length];
    if (name === "site") return row => data.site[row] == null ? "#9a9a9a" : KINDS[(data.site[row] - 1) % KINDS.length];
    if (name === "states") return row => STATES[data.states[row]]?.[1] ?? "#9a9a9a";
    if (name === "plddt") return row => plddtClass(values(name)[row])?.[1] ?? "#9a9a9a";
    const all = values(name), [low, high] = range(all);
    return row => hex(colour(all[row] == null ? NaN : (all[row] - low) / (high - low)));
  };
  let scene = null;
  const paint = () => {
    const name = byColumn.value, colours = rowColour(name);
    if (scene) {
      scene.setBackgroundColor(css("--ground"));
      scene.setStyle({}, { cartoon: { style: "trace", thickness: .6, colorfunc: atom => colours(atom.row) } });
      scene.removeAllShapes();
      const [x, y, z] = data.ca[cursor];
      scene.addSphere({ center: { x, y, z }, radius: 1.3, color: css("--mark") });
      if (partner != null) {
        const [u, v, w] = data.ca[partner];
        scene.addSphere({ center: { x: u, y: v, z: w }, radius: 1.3, color: css("--accent") });
      }
      scene.render();
    }
    if (name === "chain" || name === "site") legend.replaceChildren(...(name === "chain" ? data.chains.map((chain, id) => key(KINDS[id % KINDS.length], chain))
      : [...data.sites.map(site => key(KINDS[(site.rank - 1) % KINDS.length], `site ${site.rank}`)), $("span", {}, "grey: in no site")]));
    else if (name === "plddt") legend.replaceChildren(...PLDDT.map(([, colour, text]) => key(colour, text)), $("span", {}, "grey: not defined"));
    else if (name === "states") legend.replaceChildren(...statesKey(data.states));
    else {
      const [low, high] = range(values(name));
      legend.replaceChildren($("span", {}, short(low)), $("i", { style: `background:linear-gradient(90deg,${STOPS.slice(begin()).join()})` }), $("span", {}, `${short(high)} ${unit(run.units[name])}`), $("span", {}, "grey: not defined"));
    }
  };
  const drawMap = () => {
    const side = Math.min(n, 800), cell = n / side, pixels = canvas.getContext("2d");
    canvas.width = canvas.height = Math.max(side, 1);
    const image = pixels.createImageData(canvas.width, canvas.height), dark = root.classList.contains("dark"), on = dark ? [254, 232, 56] : [0, 34, 78], limit = run.threshold ** 2;
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) {
      const [a, b] = [data.ca[i], data.ca[j]];
      if (i !== j && (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2 >= limit) continue;
      for (const [row, column] of [[i, j], [j, i]]) image.data.set([...on, 255], 4 * (Math.floor(row / cell) * side + Math.floor(column / cell)));
    }
    pixels.putImageData(image, 0, 0);
    pixels.fillStyle = css("--soft"); pixels.globalAlpha = .5;
    for (let row = 1; row < n; row++) if (data.chain[row] !== data.chain[row - 1]) {
      const at = Math.floor(row / cell), thick = Math.max(side / 400, 1);
      pixels.fillRect(at, 0, thick, side); pixels.fillRect(0, at, side, thick);
    }
  };
  const LABEL = 110, TALL = 46;
  const drawTracks = () => {
    const list = [...shown], box = tracks.parentElement.clientWidth - 18, scale = devicePixelRatio || 1;
    const wide = Math.max(box, Math.min(LABEL + n * 2, 16000)), strips = data.states ? 22 : 0, tall = list.length * TALL + 42 + strips;
    tracks.width = wide * scale; tracks.height = tall * scale;
    tracks.style.width = wide + "px"; tracks.style.height = tall + "px";
    const pen = tracks.getContext("2d"), x = row => LABEL + (row + .5) / n * (wide - LABEL - 6);
    pen.scale(scale, scale); pen.font = "12px system-ui, sans-serif"; pen.textBaseline = "middle";
    // Chains and sites.
    const step = (wide - LABEL - 6) / n;
    for (let row = 0; row < n; row++) {
      pen.fillStyle = KINDS[data.chain[row] % KINDS.length]; pen.fillRect(x(row) - step / 2, 4, Math.max(step, .6), 6);
      if (data.site[row] != null) { pen.fillStyle = css("--mark"); pen.fillRect(x(row) - step / 2, 20, Math.max(step, 1.5), 6); }
    }
    pen.fillStyle = css("--soft"); pen.fillText("chain", 4, 8); pen.fillText("in a site", 4, 24);
    if (data.states) {
      for (let row = 0; row < n; row++) {
        const state = STATES[data.states[row]];
        if (state) { pen.fillStyle = state[1]; pen.fillRect(x(row) - step / 2, 42 - state[2] / 2, Math.max(step, .6), state[2]); }
      }
      pen.fillStyle = css("--soft"); pen.fillText("structure (ss)", 4, 42);
    }
    list.forEach((name, index) => {
      const top = 38 + strips + index * TALL, bottom = top + TALL - 10, [low, high] = range(values(name)), y = value => bottom - (value - low) / (high - low) * (TALL - 12);
      pen.fillStyle = css("--text"); pen.fillText(name, 4, top + 10);
      pen.fillStyle = css("--soft"); pen.fillText(`${short(low)} to ${short(high)}`, 4, top + 26);
      pen.strokeStyle = css("--line"); pen.lineWidth = 1; pen.beginPath(); pen.moveTo(LABEL, bottom + .5); pen.lineTo(wide - 6, bottom + .5); pen.stroke();
      pen.strokeStyle = css("--accent"); pen.lineWidth = 1.4; pen.beginPath();
      let down = false;
      values(name).forEach((value, row) => {
        if (value == null || (row > 0 && data.chain[row] !== data.chain[row - 1])) down = false;
        if (value == null) return;
        if (down) pen.lineTo(x(row), y(value)); else { pen.moveTo(x(row), y(value)); pen.lineTo(x(row) + .4, y(value)); }
        down = true;
      });
      pen.stroke();
    });
    pen.strokeStyle = css("--mark"); pen.lineWidth = 1; pen.beginPath(); pen.moveTo(x(cursor), 0); pen.lineTo(x(cursor), tall); pen.stroke();
    readout.textContent = `${of(cursor)}: ` + list.map(name => `${name} ${short(values(name)[cursor])}`).join(", ") + (data.states && STATES[data.states[cursor]] ? `, ss ${data.states[cursor]} (${STATES[data.states[cursor]][0]})` : "") + (data.site[cursor] != null ? `, site ${data.site[cursor]}` : "");
  };
  const move = row => { cursor = Math.min(Math.max(row, 0), n - 1); drawTracks(); paint(); };
  tracks.addEventListener("click", event => { partner = null; const wide = tracks.clientWidth; move(Math.floor((event.offsetX - LABEL) / (wide - LABEL - 6) * n)); });
  tracks.addEventListener("keydown", event => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -n, End: n }[event.key];
    if (by) { event.preventDefault(); partner = null; move(cursor + by); }
  });
  add.addEventListener("change", () => { if (add.value) { shown.has(add.value) ? shown.delete(add.value) : shown.add(add.value); add.value = ""; drawTracks(); } });
  byColumn.addEventListener("change", paint);
  addEventListener("resize", drawTracks);
  redraw = () => { drawMap(); errors?.draw(); drawTracks(); paint(); };
  redraw();
  try {
    const library = await viewerLibrary();
    if (!view.isConnected) return;
    scene = library.createViewer(view, { backgroundColor: css("--ground"), antialias: true });
    const model = scene.addModel();
    model.addAtoms(tube(data));
    paint(); scene.zoomTo(); scene.render();
  } catch (error) {
    view.replaceChildren($("p", { class: "soft", style: "padding:16px" }, `The 3-D view cannot be shown here: ${error.message ?? error}`));
  }
}

// ---- Which page.

const order = run.structures.filter(s => s.detail);
const [previous, next] = ["previous", "next"].map(id => document.getElementById(id));
const at = () => order.findIndex(s => s.name === decodeURIComponent(location.hash.slice(1)));
const go = by => { const other = order[at() + by]; if (other) location.hash = encodeURIComponent(other.name); };
previous.addEventListener("click", () => go(-1));
next.addEventListener("click", () => go(1));
async function show() {
  redraw = () => {};
  main.replaceChildren();
  const position = at();
  previous.hidden = next.hidden = position < 0;
  previous.disabled = position <= 0; next.disabled = position + 1 >= order.length;
  scrollTo(0, 0);
  if (position < 0) index(); else await page(order[position]);
  document.documentElement.dataset.ready = "1";
}
addEventListener("hashchange", () => { show(); main.focus(); });
dress();
show();
})();
