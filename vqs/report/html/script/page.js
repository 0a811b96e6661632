// Opens a page: reads the document that it carries, and shows it when all of it is there.

import { setUpDialog } from "./dialog.js";
import { byId, command, found } from "./dom.js";
import { setUpTheme } from "./theme.js";
import { amount, duration, percent } from "./units.js";

async function readDocument() {
  const packed = Uint8Array.from(atob(byId("data").textContent), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

// Opens the page; `draw` draws the document, and returns what is there to be looked at.
export async function openPage(draw) {
  setUpTheme();
  const data = await readDocument();
  const page = draw(data);
  setUpDialog();
  for (const element of found("[data-copy]")) element.replaceWith(command(element.dataset.copy));
  addEventListener("keydown", (event) => {
    const [field] = found("#tasks input[type=search], #jobs input[type=search], #points input[type=search]");
    if (event.key !== "/" || !field || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    field.focus();
  });
  globalThis.vqs = { page, data, amount, percent, duration };
  requestAnimationFrame(() => document.documentElement.setAttribute("data-ready", String(Math.round(performance.now()))));
}
