// One dialog shows whatever the address names: #job=ns/name, #task=ns/name, #queue=name, #node=name.

import { announce, bdi, button, byId, copy, make } from "./dom.js";

export const details = new Map();

// Registers what shows a kind of thing: a function from a name to a title and a body, or null where there is none.
export function showsDetails(kind, describe) {
  details.set(kind, describe);
}

function namedByAddress() {
  const [, kind, name] = /^#(\w+)=(.*)$/.exec(location.hash) ?? [];
  try {
    return { kind, name: decodeURIComponent(name ?? "") };
  } catch {
    return {};
  }
}

function followAddress() {
  const { kind, name } = namedByAddress();
  const described = details.get(kind)?.(name);
  const dialog = byId("details");
  if (!described) {
    if (dialog.open) dialog.close();
    if (details.has(kind)) announce(`There is no ${kind} ${name}.`);
    return;
  }
  if (described.act) return;
  dialog.replaceChildren(heading(kind, described.title), ...described.body);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function heading(kind, title) {
  const close = button("Close", () => byId("details").close(), { class: "close", autofocus: true });
  const share = button("copy link", () => copy(location.href, share), { class: "copy" });
  return make(
    "header",
    {},
    make("div", {}, make("small", {}, kind), make("h2", { id: "details-title" }, bdi(title))),
    share,
    close,
  );
}

export function setUpDialog() {
  const dialog = byId("details");
  dialog.addEventListener("close", forgetAddress);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  addEventListener("hashchange", followAddress);
  followAddress();
}

// When the dialog is closed, the page must not come back to it when it is reloaded.
function forgetAddress() {
  if (details.has(namedByAddress().kind)) history.replaceState(null, "", location.pathname + location.search);
}

export function facts(pairs) {
  const given = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return make(
    "dl",
    { class: "facts" },
    given.flatMap(([word, value]) => [make("dt", {}, word), make("dd", {}, value)]),
  );
}
