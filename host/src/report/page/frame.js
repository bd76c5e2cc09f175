// The box of a view: what the pointer is on, and keys that turn and zoom.

function viewFrame(label, scene) {
  const box = $("div", { class: "view", tabindex: 0, role: "application", "aria-label": label });
  const tip = $("div", { class: "tip", hidden: true }), waiting = $("p", { class: "waiting" }, "Preparing the structure…"), frame = $("div", { class: "frame" }, box, tip, waiting);
  frame.addEventListener("pointermove", event => {
    const edge = frame.getBoundingClientRect();
    tip.style.left = `${clamp(event.clientX - edge.left + 14, 0, edge.width - 160)}px`; tip.style.top = `${event.clientY - edge.top + 14}px`;
  });
  box.addEventListener("keydown", event => {
    const turns = { ArrowLeft: ["y", -10], ArrowRight: ["y", 10], ArrowUp: ["x", -10], ArrowDown: ["x", 10] }[event.key];
    if (turns) { event.preventDefault(); scene()?.turn(...turns); }
    if (event.key === "+" || event.key === "-") { event.preventDefault(); scene()?.zoom(event.key === "+" ? 1.2 : .8); }
  });
  return {
    box, frame,
    tell: text => { tip.hidden = !text; tip.textContent = text ?? ""; },
    ready: () => waiting.remove(),
    failed: error => { waiting.textContent = `The 3-D view cannot be shown here: ${error.message ?? error}`; frame.append(waiting); console.error(error); },
    save: name => { if (scene()) $("a", { href: scene().picture(), download: `${name.replace(/[^\w.-]+/g, "_")}.png` }).click(); },
  };
}
