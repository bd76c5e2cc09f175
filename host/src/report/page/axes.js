// The axes of a square map of residues: their numbers, and the names of chains.

// Puts axes at a canvas. `titles` say what lies across and down.
function withAxes(model, canvas, titles) {
  const [across, down] = ["across", "down"].map(way => $("div", { class: `axis ${way}`, "aria-hidden": "true" }));
  const element = $("div", { class: "axes" }, $("span", { class: "axis-title" }, titles[0] && `${titles[0]} →`), across, $("span", { class: "axis-title down" }, titles[1] && `${titles[1]} →`), down, canvas);
  return {
    element,
    // The rows that the map shows, in its order.
    draw: rows => {
      const marks = ticks(model, rows);
      for (const [axis, side] of [[across, "left"], [down, "top"]]) {
        axis.replaceChildren(...marks.map(({ share, text }) => $("span", { style: `${side}:${(100 * share).toFixed(2)}%` }, text)));
      }
    },
  };
}

// About five marks: where chains begin, and residues between with round numbers of steps.
function ticks(model, rows) {
  const n = rows.length, { chain, chains } = model.data, apart = n / 8, marks = [];
  const add = (at, text) => { if (marks.every(mark => Math.abs(mark.at - at) >= apart)) marks.push({ at, share: (at + .5) / n, text }); };
  const number = row => model.label(row).replace(/^.*_/, ""), several = new Set(rows.map(row => chain[row])).size > 1;
  rows.forEach((row, at) => { if (at === 0 || chain[row] !== chain[rows[at - 1]]) add(at, several ? `${chains[chain[row]].trim()} ${number(row)}`.trim() : number(row)); });
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find(step => n / step <= 5) ?? 10000;
  rows.forEach((row, at) => { const own = Number.parseInt(number(row), 10); if (own % step === 0) add(at, number(row)); });
  return marks;
}
