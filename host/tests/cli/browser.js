// Acts like a person on a report's page, and sends what it finds to the page around it.
const errors = [];
addEventListener("error", event => errors.push(String(event.message)));
addEventListener("unhandledrejection", event => errors.push(String(event.reason?.stack ?? event.reason)));
console.error = (...words) => errors.push(words.join(" "));
const all = selector => [...document.querySelectorAll(selector)], one = selector => document.querySelector(selector);
const text = selector => one(selector)?.textContent ?? null;
const sleep = time => new Promise(resolve => setTimeout(resolve, time));
async function until(what, test) {
  for (let tries = 0; tries < 800; tries++) {
    const found = test();
    if (found) return found;
    await sleep(25);
  }
  throw new Error(`never: ${what}`);
}
const ready = () => until("the page is drawn", () => document.documentElement.dataset.ready === "1" && (!one(".view") || one(".view").ariaDescription));
// Until the structure shows what the page has selected.
const shows = words => until(`the structure shows ${words}`, () => one(".view").ariaDescription?.includes(words));
const pointer = (element, type, x, y) => element.dispatchEvent(new (type.startsWith("pointer") ? PointerEvent : MouseEvent)(type, { bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, button: 0, buttons: type.endsWith("up") ? 0 : 1 }));
// Clicks on a place of an element, given as shares of its width and height.
function click(element, across = .5, down = .5) {
  element.scrollIntoView({ block: "center" });
  const box = element.getBoundingClientRect(), [x, y] = [box.left + across * box.width, box.top + down * box.height];
  for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) pointer(element, type, x, y);
}
const press = (element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const named = (selector, words) => all(selector).find(element => element.textContent.trim() === words) ?? (() => { throw new Error(`there is no ${selector} ${words}`); })();
const choice = (label, value) => { const select = one(`select[aria-label="${label}"]`); select.value = value; select.dispatchEvent(new Event("change", { bubbles: true })); };
async function act(script) {
  let value = null;
  try { await new Promise(resolve => addEventListener("load", resolve)); await ready(); value = await script(); } catch (error) { errors.push(String(error?.stack ?? error)); }
  parent.postMessage(JSON.stringify({ value, errors }), "*");
}
// The share of the structure's box that is drawn in, by its width and its height.
function drawnShare() {
  const from = one(".view canvas"), [w, h] = [200, Math.round(200 * from.height / from.width)], small = new OffscreenCanvas(w, h), pen = small.getContext("2d");
  pen.drawImage(from, 0, 0, w, h);
  const pixels = pen.getImageData(0, 0, w, h).data, ground = pixels.slice(0, 3), xs = [], ys = [];
  for (let at = 0; at < w * h; at++) if ([0, 1, 2].some(part => Math.abs(pixels[4 * at + part] - ground[part]) > 24)) { xs.push(at % w); ys.push(Math.floor(at / w)); }
  const share = (all, of) => all.length ? (Math.max(...all) - Math.min(...all) + 1) / of : 0;
  return [share(xs, w), share(ys, h)];
}
