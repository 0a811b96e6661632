// Shows the page when all of it is there.

const SHOWS = {
  simulation: showSimulation,
  queues: showQueues,
  diff: showDiff,
  workload: showWorkload,
  document: () => ({}),
};

setUpTheme();
const data = readData();
const page = SHOWS[data.kind](data);
setUpDialog();
for (const element of document.querySelectorAll("[data-copy]")) element.replaceWith(command(element.dataset.copy));
addEventListener("keydown", (event) => {
  const field = document.querySelector("#tasks input[type=search], #jobs input[type=search]");
  if (event.key !== "/" || !field || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
  event.preventDefault();
  field.focus();
});
globalThis.vqs = { page, data, amount, percent, duration };
requestAnimationFrame(() => document.documentElement.setAttribute("data-ready", Math.round(performance.now())));
