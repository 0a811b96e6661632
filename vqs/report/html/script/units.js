// Amounts as vqs writes them everywhere; see vqs/explain/amounts.py.

import UNITS from "../../../model/units.json" with { type: "json" };

const GROUPED = new Intl.NumberFormat("en-US");
export const NEGLIGIBLE = UNITS.negligible;

// Rounds as Python does: what stands exactly in the middle goes to the even neighbour, and not always up.
export function fixed(value, digits) {
  const scaled = value * 10 ** digits;
  const isMiddle = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(scaled % 1) === 0.5;
  return (isMiddle ? (2 * Math.round(scaled / 2)) / 10 ** digits : value).toFixed(digits);
}

const number = (value) => String(Number(fixed(value, 2)));
export const count = (quantity, noun) => `${grouped(quantity)} ${noun}${quantity === 1 ? "" : "s"}`;
export const grouped = (quantity) => GROUPED.format(quantity);
export const change = (before, after) => (before === after ? after : `${before} → ${after}`);

export function bytes(value) {
  const size = Math.abs(value);
  /** @type {[number, string][]} */
  const sizes = UNITS.bytes.map((unit, power) => [size / 1024 ** (power + 1), unit]);
  const scaled = sizes.filter(([part]) => part >= 1);
  const exact = scaled.filter(([part]) => Number(fixed(part, 2)) === part && part < UNITS.crowded);
  const [part, unit] = exact.at(-1) ?? scaled.at(-1) ?? [size, ""];
  return `${value < 0 ? "-" : ""}${number(part)}${unit}`;
}

export function amount(resource, value) {
  if (value === null) return UNITS.unlimited;
  if (value === undefined) return "–";
  return resource.bytes ? bytes(value) : number(value);
}

export function percent(share) {
  const parts = share * 100;
  return parts > 0 && parts < 1 ? `${fixed(parts, 1)}%` : `${fixed(parts, 0)}%`;
}

// A sum of fractions may miss the whole number it ought to be by next to nothing.
export const tidy = (value) => (Math.abs(value - Math.round(value)) < NEGLIGIBLE ? Math.round(value) : value);

export function listedAmounts(resources, amounts) {
  const named = resources.filter(({ name }) => amounts?.[name]);
  return named.map((resource) => `${resource.name} ${amount(resource, amounts[resource.name])}`).join(", ");
}

/** @type {[number, string][]} the units of time, by their seconds, the largest first */
export const UNITS_OF_TIME = /** @type {any} */ (UNITS.seconds);

// Writes a time in its two largest units, as vqs/explain/times.py does.
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 0) return `-${duration(-seconds)}`;
  if (seconds < 9.95) return `${Number(fixed(seconds, 1))}s`;
  const [unit] = UNITS_OF_TIME.find(([size]) => Math.round(seconds) >= size);
  const least = unit >= 60 ? unit / (unit === 86400 ? 24 : 60) : 1;
  return timeIn(Math.round(seconds / least) * least, " ");
}

export function timeIn(seconds, between = "") {
  let left = seconds;
  const parts = [];
  for (const [size, sign] of UNITS_OF_TIME) {
    const some = size === 1 ? Number(left.toFixed(2)) : Math.floor(left / size + NEGLIGIBLE);
    left = Math.max(0, left - some * size);
    if (some) parts.push(`${some}${sign}`);
  }
  return parts.join(between) || "0s";
}
