// What all parts of the page use: elements, numbers, packed data, light and dark.

const run = JSON.parse(document.getElementById("run").textContent);
const main = document.getElementById("main");
const root = document.documentElement;

const $ = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(3).filter(child => child != null && child !== false));
  return element;
};
const svg = (tag, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};
// Many items of a kind as one line that opens: what it says, how many there are, and whether it is open.
const opener = (text, isOpen, onclick) => $("button", { type: "button", class: "pick", "aria-expanded": String(isOpen), onclick }, $("span", { class: "sign", "aria-hidden": "true" }, isOpen ? "▾ " : "▸ "), text);
const button = (text, onclick, attributes = {}) => $("button", { type: "button", onclick, ...attributes }, text);
const css = name => getComputedStyle(root).getPropertyValue(name).trim();
// What an element says, or else what to do; paper leaves the latter out.
const say = (element, text, hint) => { element.textContent = text ?? hint; element.classList.toggle("hint", text == null); };
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

const superscripts = text => text.replaceAll("^-2", "⁻²").replaceAll("^2", "²").replaceAll("^3", "³");
const unit = text => superscripts(text ?? "").replace(/^degree$/, "°");
const sentence = text => `${text[0].toUpperCase()}${text.slice(1)}.`;
const count = (n, what, several = `${what}s`) => `${n.toLocaleString("en")} ${n === 1 ? what : several}`;
const short = x => x == null ? "not defined" : Number.isInteger(x) ? String(x) : Math.abs(x) >= 1000 ? x.toFixed(0)
  : Math.abs(x) < .001 ? x.toExponential(0) : String(Number(x.toPrecision(3)));
const isAngle = name => run.circular.includes(name);
const range = values => {
  let low = Infinity, high = -Infinity;
  for (const value of values) if (value != null) { if (value < low) low = value; if (value > high) high = value; }
  return low <= high ? [low, high === low ? low + 1 : high] : [0, 1];
};

// A name that may be broken after its marks, such as those of files.
const breaking = name => name.split(/(?<=[_./-])/).flatMap((part, at) => at ? [$("wbr"), part] : [part]);

// The ends of an axis in words.
const ends = (values, of = "") => {
  const [low, high] = range(values), isSame = values.every(value => value == null || value === low);
  return isSame ? [`${short(low)}${of} everywhere`] : [short(low), `${short(high)}${of}`];
};

// Bytes from Base64, and the text of a packed script.
const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
async function unpack(id) {
  const stream = new Blob([bytesOf(document.getElementById(id).textContent.trim())]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream("gzip"))).text();
}

// Light or dark: what the system says until the button is used. On paper it is light.
const asked = matchMedia("(prefers-color-scheme: dark)"), onPaper = matchMedia("print");
let chosen = null, redraw = () => {};
const dress = () => { root.classList.toggle("dark", !onPaper.matches && (chosen ?? asked.matches)); redraw(); };
asked.addEventListener("change", dress);
onPaper.addEventListener("change", dress);
document.getElementById("theme").addEventListener("click", () => { chosen = !root.classList.contains("dark"); dress(); });

// A box that scrolls sideways fades where it goes on.
const fades = new ResizeObserver(entries => entries.forEach(({ target }) => fade(target.closest(".scroll"))));
const fade = box => box?.classList.toggle("goes-on", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
function scrolling(label, inside) {
  const box = $("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label, onscroll: () => fade(box) }, inside);
  fades.observe(box); fades.observe(inside);
  return box;
}

// A table whose rows can be chosen: cells of a row, and what a click on its first cell does.
function table(head, rows, { label, texts = [0] }) {
  const isText = index => texts.includes(index) ? { class: "text" } : {};
  return scrolling(label, $("table", {},
    $("thead", {}, $("tr", {}, head.map((text, index) => $("th", { scope: "col", ...isText(index) }, text)))),
    $("tbody", {}, rows.map(({ cells, key }) => $("tr", { "data-key": key }, cells.map((cell, index) => $("td", isText(index), cell)))))));
}

// A list of which some are shown, with a button for more. `filled` is called when more are shown. On paper all are, up to a limit.
let filled = () => {};
function paged(list, some, show) {
  const box = $("div", { class: "paged" });
  // A few more than some are shown at once.
  let shown = list.length <= 1.25 * some ? list.length : some;
  const fill = (now = shown) => {
    const more = list.length - now;
    box.replaceChildren(show(list.slice(0, now)), ...(more > 0
      ? [button(`Show ${Math.min(more, 10 * some)} more of ${list.length}`, () => { shown = Math.min(list.length, shown + 10 * some); fill(); filled(); }, { class: "more" }),
        $("p", { class: "paper" }, `${now.toLocaleString("en")} of ${list.length.toLocaleString("en")} lines; the others are in the report.`)] : []));
  };
  box.addEventListener("print", () => fill(Math.max(shown, Math.min(list.length, MOST_ON_PAPER))));
  box.addEventListener("printed", () => fill());
  fill();
  return box;
}
