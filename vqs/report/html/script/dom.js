// Making elements. Texts always go in as text, never as markup: names in a snapshot may look like anything.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child || child === 0));
  return element;
}

export const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
/** @returns {any} the element of an id, of whichever kind it is */
export const byId = (id) => document.getElementById(id);

/** @returns {HTMLElement[]} the elements that a selector finds */
export const found = (selector) => [...document.querySelectorAll(selector)];

// A name may be written from right to left, and must not turn round what stands beside it.
export const bdi = (text) => make("bdi", {}, text);

export function link(kind, name, ...children) {
  return make("a", { href: address(kind, name), class: "name" }, ...(children.length ? children : [bdi(name)]));
}

export const address = (kind, name) => `#${kind}=${encodeURIComponent(name)}`;

export function button(label, act, attributes = {}) {
  return make("button", { type: "button", ...attributes, on: { click: act } }, label);
}

export function choice(label, values, act, attributes = {}) {
  const options = values.map(([value, text]) => make("option", { value }, text ?? value));
  const select = make("select", { ...attributes, on: { change: () => act(select.value) } }, options);
  const field = make("label", { class: "field" }, make("span", {}, label), select);
  return { field, select };
}

// Says something to those who hear the page rather than see it.
export function announce(text) {
  byId("announcer").textContent = text;
}

export async function copy(text, pressed) {
  const label = pressed.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyOldWay(text);
  }
  pressed.textContent = "copied";
  announce(`copied: ${text}`);
  setTimeout(() => {
    pressed.textContent = label;
  }, 1500);
}

// Files opened from a disk may not be allowed to use the clipboard directly.
function copyOldWay(text) {
  const field = make("textarea", { readonly: true, class: "unseen" });
  field.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

export function command(text) {
  const pressed = button("copy", () => copy(text, pressed), {
    class: "copy",
    "aria-label": `copy the command ${text}`,
  });
  return make("span", { class: "command" }, make("code", {}, text), pressed);
}

export const rule = (code) => command(`vqs rule ${code}`);
export const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\"'\"'")}'`);

export const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
