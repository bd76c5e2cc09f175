// What is printed: whole lists, what was closed, and at the foot of each page what it is of.

// More lines than this are not printed, but counted.
const MOST_ON_PAPER = 300;

const foot = $("style");
document.head.append(foot);
function printsAs(name) {
  const text = `${name}, prism ${run.provenance["prism.version"]}, ${run.date}`, quoted = text.replace(/["\\]/g, "\\$&").replace(/[\n\r]/g, " ");
  foot.textContent = `@page { @bottom-left { content: "${quoted}"; } }`;
}

const tellLists = type => { for (const box of document.querySelectorAll(".paged")) box.dispatchEvent(new Event(type)); };
let openedForPaper = [];
addEventListener("beforeprint", () => {
  tellLists("print");
  openedForPaper = [...document.querySelectorAll("details.notes:not([open]), .chosen details:not([open])")];
  for (const one of openedForPaper) one.open = true;
});
addEventListener("afterprint", () => {
  tellLists("printed");
  filled();
  for (const one of openedForPaper) one.open = false;
});
