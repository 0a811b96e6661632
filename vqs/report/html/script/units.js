// Amounts as vqs writes them everywhere; see vqs/explain/amounts.py.

const BYTE_UNITS = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const CROWDED = 10000;
const NEGLIGIBLE = 1e-6;

// Rounds as Python does: what stands exactly in the middle goes to the even neighbour, and not always up.
function fixed(value, digits) {
  const scaled = value * 10 ** digits;
  const isMiddle = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(scaled % 1) === 0.5;
  return (isMiddle ? (2 * Math.round(scaled / 2)) / 10 ** digits : value).toFixed(digits);
}

const number = (value) => String(Number(fixed(value, 2)));
const count = (quantity, noun) => `${grouped(quantity)} ${noun}${quantity === 1 ? "" : "s"}`;
const grouped = (quantity) => quantity.toLocaleString("en-US");
const change = (before, after) => (before === after ? after : `${before} → ${after}`);

function bytes(value) {
  const size = Math.abs(value);
  const scaled = BYTE_UNITS.map((unit, power) => [size / 1024 ** (power + 1), unit]).filter(([part]) => part >= 1);
  const exact = scaled.filter(([part]) => Number(fixed(part, 2)) === part && part < CROWDED);
  const [part, unit] = exact.at(-1) ?? scaled.at(-1) ?? [size, ""];
  return `${value < 0 ? "-" : ""}${number(part)}${unit}`;
}

function amount(resource, value) {
  if (value === null) return "unlimited";
  if (value === undefined) return "–";
  return resource.bytes ? bytes(value) : number(value);
}

function percent(share) {
  const parts = share * 100;
  return parts > 0 && parts < 1 ? `${fixed(parts, 1)}%` : `${fixed(parts, 0)}%`;
}

// A sum of fractions may miss the whole number it ought to be by next to nothing.
const tidy = (value) => (Math.abs(value - Math.round(value)) < NEGLIGIBLE ? Math.round(value) : value);

function listedAmounts(resources, amounts) {
  const named = resources.filter(({ name }) => amounts?.[name]);
  return named.map((resource) => `${resource.name} ${amount(resource, amounts[resource.name])}`).join(", ");
}
