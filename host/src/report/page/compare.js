// Two structures side by side: columns of one minus the other, along an alignment of the sequences of two chains.

// The rows of each chain that has some.
function chainsOf(data) {
  const rows = new Map();
  data.chain.forEach((chain, row) => { if (!rows.has(chain)) rows.set(chain, []); rows.get(chain).push(row); });
  return rows;
}

// One value minus the other; angles differ by half a turn at most.
function minus(name, a, b) {
  if (a == null || b == null) return null;
  return isAngle(name) ? ((a - b + 540) % 360 + 360) % 360 - 180 : a - b;
}

// What two lists of values of a column differ by: their number, mean difference, mean absolute difference and correlation.
function differing(name, pairs, first, second) {
  const both = pairs.map(([a, b]) => [first[a], second[b]]).filter(([x, y]) => x != null && y != null), n = both.length;
  if (!n) return null;
  const mean = of => both.reduce((sum, pair) => sum + of(pair), 0) / n, off = [0, 1].map(side => isAngle(name) ? offDirection(both.map(pair => pair[side])) : offMean(both.map(pair => pair[side])));
  const covering = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0), norm = Math.sqrt(covering(off[0], off[0]) * covering(off[1], off[1]));
  return { n, mean: mean(pair => minus(name, ...pair)), absolute: mean(pair => Math.abs(minus(name, ...pair))), correlation: norm > 0 ? covering(...off) / norm : null };
}

// How far values are off their mean; of angles, the sine of how far they are off their mean direction. The correlation of the latter is that
// of directions (Jammalamadaka and SenGupta 2001).
function offMean(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map(value => value - mean);
}
function offDirection(degrees) {
  const angles = degrees.map(value => value / 180 * Math.PI), sum = of => angles.reduce((sum, angle) => sum + of(angle), 0), direction = Math.atan2(sum(Math.sin), sum(Math.cos));
  return angles.map(angle => Math.sin(angle - direction));
}

// Too few of the shorter chain's residues are aligned, or too few of them are the same, for differences to mean something.
const isUnlike = (pairs, same, rows) => pairs.length < .3 * Math.min(...rows.map(own => own.length)) || same < .3 * pairs.length;

// What a chain was computed with, if it is one of several: their surface covers some of its own.
function buryingOf(model, name, chain) {
  const { chains } = model.data, own = model.interfaces.filter(pair => pair.chains.includes(chain));
  if (!own.length) return null;
  const others = own.map(pair => chains[pair.chains.find(other => other !== chain)].trim()).filter(other => other), area = own.reduce((sum, pair) => sum + (pair.area ?? 0), 0);
  return `${name} was computed with ${others.length > 6 ? `${others.length} other chains` : others.length === 1 ? `chain ${others[0]}` : `the chains ${others.join(", ")}`}: ${area.toFixed(0)} Å² are buried between ${chainName(model.data, chain)} and ${others.length === 1 ? "it" : "them"}. Accessible areas, depths and contacts there differ for that reason, too; --each chain computes each chain alone.`;
}

async function comparePage(query) {
  const names = ["a", "b"].map(side => query.get(side)), entries = names.map(name => detailed.get(name));
  const missing = names.find((name, index) => !entries[index]);
  document.title = `${names[0] ?? "?"} minus ${names[1] ?? "?"} – ${run.title ?? "prism report"}, ${run.date}`;
  printsAs(`${names[0] ?? "?"} minus ${names[1] ?? "?"}`);
  main.append($("h1", {}, `${names[0] ?? "?"} minus ${names[1] ?? "?"}`));
  if (missing !== undefined) { main.append($("p", {}, `There is no page of ${missing ?? "a structure"} in this report.`)); return; }
  const models = (await Promise.all(entries.map(detailOf))).map(structureOf), both = models.map(({ data }) => data);
  const chains = both.map(chainsOf), label = (side, chain) => chainName(both[side], chain);
  const selects = [0, 1].map(side => $("select", { "aria-label": `Chain of ${names[side]}` }, [...chains[side].keys()].map(chain => $("option", { value: String(chain) }, label(side, chain)))));
  const columns = columnsOf(both[0]).filter(name => name in both[1].columns);
  if (!columns.length) { main.append($("p", {}, "These structures have no column in common.")); return; }
  const column = $("select", { "aria-label": "Column" }, columns.map(columnOption));
  const wanted = query.get("column");
  column.value = columns.includes(wanted) ? wanted : ["rsa", "sasa", "depth"].find(name => columns.includes(name)) ?? columns[0];
  for (const [side, name] of ["chain-a", "chain-b"].entries()) {
    const chain = both[side].chains.indexOf(query.get(name));
    if (chains[side].has(chain)) selects[side].value = String(chain);
  }
  const canvas = $("canvas", { tabindex: 0, role: "img", "aria-label": "Both structures and their difference along the alignment; the arrow keys move along it" });
  const pair = superposition(models, names, { choose: at => move(at), pairs: () => pairs, query, changed: () => address() });
  const about = $("p", { class: "soft" }), burying = $("p", { class: "soft" }), unknown = wanted && !columns.includes(wanted) ? $("p", { class: "unknown", role: "alert" }, `Both structures have no column ${wanted}. This is ${labelOf(column.value)}.`) : null, readout = $("p", { class: "readout", "aria-live": "polite" }), definition = $("p", { class: "soft" }), tables = $("div", { class: "two even" });
  const swap = button("Swap", () => { location.hash = `#compare?${new URLSearchParams({ a: names[1], b: names[0], column: column.value, "chain-a": both[1].chains[selects[1].value], "chain-b": both[0].chains[selects[0].value], ...pair.query() })}`; });
  main.append(...(unknown ? [unknown] : []), about, burying, $("div", { class: "tools" }, selects, swap), pair.element, $("div", { class: "tools" }, $("label", {}, "Column ", column)), definition, $("div", { class: "tracks" }, canvas), readout,
    $("div", { class: "legend" }, key(SIDES[0], names[0]), key(SIDES[1], names[1]), $("span", {}, "bars below: the first minus the second")), tables);
  let pairs = [], cursor = 0, unlike = false;
  const called = (side, row) => models[side].called(row);
  const values = () => pairs.map(([a, b]) => [both[0].columns[column.value][a], both[1].columns[column.value][b]]);
  const LEFT = 90, x = (at, wide) => LEFT + (at + .5) / Math.max(pairs.length, 1) * (wide - LEFT - 6);
  const draw = () => {
    const wide = Math.max(canvas.parentElement.clientWidth - 18, 200), tall = 210, scale = devicePixelRatio || 1, pen = canvas.getContext("2d");
    canvas.width = wide * scale; canvas.height = tall * scale; canvas.style.width = `${wide}px`; canvas.style.height = `${tall}px`;
    pen.scale(scale, scale); pen.font = "12px system-ui, sans-serif"; pen.textBaseline = "middle";
    const all = values(), [low, high] = range(all.flat()), y = value => 100 - (value - low) / (high - low) * 88;
    const differences = all.map(pair => minus(column.value, ...pair)), most = Math.max(...differences.map(value => Math.abs(value ?? 0)), 1e-9), zero = 160;
    pen.fillStyle = css("--soft");
    for (const [text, at] of [[short(high), 14], [short(low), 98], [`+${short(most)}`, 122], [`−${short(most)}`, 198]]) pen.fillText(text, 4, at);
    pen.strokeStyle = css("--line"); pen.beginPath(); pen.moveTo(LEFT, zero + .5); pen.lineTo(wide - 6, zero + .5); pen.stroke();
    for (const side of [1, 0]) {
      pen.strokeStyle = SIDES[side]; pen.lineWidth = 1.5; pen.beginPath();
      let before = null;
      all.forEach((pair, at) => {
        if (pair[side] == null) { before = null; return; }
        // A line goes on only where both residues follow each other.
        const follows = before !== null && pairs[at][side] === pairs[before][side] + 1;
        if (follows) pen.lineTo(x(at, wide), y(pair[side])); else { pen.moveTo(x(at, wide), y(pair[side])); pen.lineTo(x(at, wide) + .5, y(pair[side])); }
        before = at;
      });
      pen.stroke();
    }
    const step = Math.max((wide - LEFT - 6) / Math.max(pairs.length, 1), 1);
    differences.forEach((value, at) => {
      if (value == null) return;
      const length = value / most * 38;
      pen.fillStyle = value > 0 ? SIDES[0] : SIDES[1];
      pen.fillRect(x(at, wide) - step / 2, length > 0 ? zero - length : zero, Math.max(step - .5, .7), Math.abs(length));
    });
    pen.strokeStyle = css("--text"); pen.lineWidth = 1; pen.beginPath(); pen.moveTo(x(cursor, wide), 4); pen.lineTo(x(cursor, wide), tall); pen.stroke();
  };
  const tell = at => {
    if (!pairs.length) { readout.textContent = ""; return; }
    const [a, b] = pairs[at], [first, second] = values()[at];
    readout.textContent = `${called(0, a)} and ${called(1, b)}: ${short(first)} and ${short(second)}${first == null || second == null ? "" : `, difference ${short(minus(column.value, first, second))}`}${pair.apart(at)}`;
  };
  const lists = () => {
    const sorted = columns.map(name => ({ name, ...differing(name, pairs, both[0].columns[name], both[1].columns[name]) })).filter(one => one.n);
    const summary = table(["Column", "Mean difference", "Mean absolute", "Correlation", "Residues"], sorted.map(one => ({ key: one.name, cells: [
      button(labelOf(one.name), () => { column.value = one.name; fill(); tell(cursor); }, { class: "pick" }), `${short(one.mean)} ${unit(run.units[one.name])}`, short(one.absolute), short(one.correlation), String(one.n)] })), { label: "Differences by column" });
    const all = values(), greatest = pairs.map((pair, at) => ({ pair, at, difference: minus(column.value, ...all[at]) })).filter(one => one.difference != null)
      .sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference)).slice(0, 25);
    const to = (side, row) => $("a", { href: addressOf(names[side], `residue=${encodeURIComponent(both[side].residue[row])}`) }, called(side, row));
    const residues = table(["Of the first", "Of the second", "Difference", "First", "Second"], greatest.map(({ pair: [a, b], at, difference }) => ({ key: String(at), cells: [to(0, a), to(1, b), short(difference), ...all[at].map(short)] })), { label: "Greatest differences", texts: [0, 1] });
    if (unlike) { tables.replaceChildren($("p", { class: "unknown", role: "alert" }, "These chains are hardly alike. Means, correlations and greatest differences of the few residues that are aligned would mean nothing, and are left out.")); return; }
    tables.replaceChildren($("section", {}, $("h2", {}, "All columns"), summary), $("section", {}, $("h2", {}, `Greatest differences of ${labelOf(column.value)}`), residues));
  };
  const fill = () => {
    try {
      const rows = chosen();
      pairs = aligned(...rows.map((own, side) => own.map(row => models[side].parent(row)))).map(([i, j]) => [rows[0][i], rows[1][j]]);
      const same = pairs.filter(([a, b]) => models[0].parent(a) === models[1].parent(b)).length;
      about.textContent = `${pairs.length} of ${rows[0].length} and ${rows[1].length} residues are aligned by their sequences, ${same} of them the same.`;
      unlike = isUnlike(pairs, same, rows);
      burying.textContent = selects.map((select, side) => buryingOf(models[side], names[side], Number(select.value))).filter(text => text).join(" ");
    } catch (error) { pairs = []; about.textContent = `They cannot be compared: ${error.message}`; }
    definition.textContent = hintOf(column.value);
    cursor = clamp(cursor, 0, Math.max(pairs.length - 1, 0));
    draw(); lists();
    address();
  };
  const address = () => {
    const parts = { a: names[0], b: names[1], column: column.value, "chain-a": both[0].chains[selects[0].value], "chain-b": both[1].chains[selects[1].value], ...pair.query() };
    history.replaceState(null, "", `#compare?${new URLSearchParams(parts)}`);
  };
  const move = at => { cursor = clamp(at, 0, Math.max(pairs.length - 1, 0)); draw(); tell(cursor); pair.mark(cursor); };
  const under = event => clamp(Math.floor((event.offsetX - LEFT) / (canvas.clientWidth - LEFT - 6) * pairs.length), 0, Math.max(pairs.length - 1, 0));
  canvas.addEventListener("click", event => move(under(event)));
  canvas.addEventListener("mousemove", event => tell(under(event)));
  canvas.addEventListener("keydown", event => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (by) { event.preventDefault(); move(cursor + by); }
  });
  const chosen = () => selects.map((select, side) => chains[side].get(Number(select.value)));
  const align = () => { fill(); pair.show(chosen()); tell(cursor); };
  for (const select of selects) select.addEventListener("change", align);
  column.addEventListener("change", () => { fill(); tell(cursor); });
  redraw = () => { draw(); pair.paint(); };
  onResize = () => { draw(); pair.resize(); };
  align();
  await pair.open(chosen());
}

// What chooses two structures, for the first page.
function compareTools(first = null) {
  if (order.length < 2) return null;
  const list = label => $("select", { "aria-label": label }, order.map(s => $("option", { value: s.name }, s.name)));
  if (first) {
    const other = $("select", { "aria-label": "Compare with" }, $("option", { value: "" }, "Compare with…"), order.filter(s => s.name !== first).map(s => $("option", { value: s.name }, s.name)));
    return $("span", { class: "with" }, other, button("Compare", () => { if (other.value) location.hash = `#compare?${new URLSearchParams({ a: first, b: other.value })}`; }));
  }
  const [a, b] = [list("The first structure"), list("The second structure")];
  // The pair whose sequences are most alike.
  const [one, two] = run.alike ?? [order[0].name, order[1].name];
  [a.value, b.value] = [one, two];
  return $("div", { class: "tools" }, a, " minus ", b, button("Compare", () => { location.hash = `#compare?${new URLSearchParams({ a: a.value, b: b.value })}`; }));
}
