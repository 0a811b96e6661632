// How long jobs waited, by queue: which part of them had started after which time, a line for each policy.

import { bdi, button, draw, make } from "./dom.js";
import { count, duration, grouped, timeIn } from "./units.js";

const WAITS = { width: 300, height: 130, left: 34, right: 10, top: 8, bottom: 20, most: 12 };
const MARKED_WAITS = [1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000, 31536000];

export function showWaits(host, view) {
  const panels = view.data.waits.filter(({ policies }) => policies.some(({ jobs }) => jobs));
  const most = Math.max(1, ...panels.flatMap(({ policies }) => policies.map(({ quantiles }) => quantiles.at(-1) ?? 0)));
  const list = make("div", { class: "panels" });
  const show = (all) =>
    list.replaceChildren(...panels.slice(0, all ? panels.length : WAITS.most).map((each) => waitPanel(view, each, most)));
  const more = button(`show all ${panels.length} queues`, () => {
    show(true);
    more.remove();
  });
  host.append(policyLegend(view), list);
  if (panels.length > WAITS.most) host.append(more);
  show(false);
}

function policyLegend({ data }) {
  const sign = (policy, at) =>
    make(
      "span",
      { class: "sign" },
      draw(
        "svg",
        { viewBox: "0 0 24 8", class: "wait-sign", "aria-hidden": "true" },
        draw("path", { class: `wait-line w${at % 6}`, d: "M0 4H24" }),
      ),
      bdi(policy.name),
    );
  return make("div", { class: "legend apart" }, data.policies.length > 1 ? data.policies.map(sign) : []);
}

// Short waits have as much room as long ones: the scale is logarithmic from a second up.
function waitPanel({ data }, { queue, policies }, most) {
  const { width, height, left, right, top, bottom } = WAITS;
  const x = (wait) => left + (Math.log1p(wait) / Math.log1p(most)) * (width - left - right);
  const y = (part) => height - bottom - part * (height - top - bottom);
  const marks = MARKED_WAITS.filter((wait) => wait <= most);
  const steps = Math.ceil(marks.length / 5);
  const lines = policies.map((policy, at) =>
    draw("path", { class: `wait-line w${at % 6}`, d: waitPath(policy, x, y, width - right) }, draw("title", {}, said(policy, at))),
  );
  function said(policy, at) {
    const never = policy.jobs - policy.started;
    const { quantiles } = policy;
    const parts = quantiles.length
      ? `median ${duration(quantiles[50])}, p95 ${duration(quantiles[95])}, max ${duration(quantiles[100])}`
      : "none started";
    const whose = data.policies.length > 1 ? `${data.policies[at].name}: ` : "";
    return `${whose}${count(policy.jobs, "job")}, ${parts}${never && quantiles.length ? `; ${grouped(never)} never started` : ""}`;
  }
  return make(
    "figure",
    { class: "panel" },
    make("figcaption", {}, make("b", {}, bdi(queue)), policies.map((policy, at) => make("small", {}, said(policy, at)))),
    draw(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, class: "waits", role: "img", "aria-label": `${queue}: ${policies.map(said).join("; ")}` },
      [0, 0.5, 1].map((part) => [
        draw("path", { class: "rule", d: `M${left} ${y(part)}H${width - right}` }),
        draw("text", { x: left - 5, y: y(part) + 3.5, class: "end" }, `${part * 100}%`),
      ]),
      marks.filter((_, at) => at % steps === 0).map((wait) => [
        draw("path", { class: "rule", d: `M${x(wait)} ${top}V${height - bottom}` }),
        draw("text", { x: x(wait), y: height - 6, class: "middle" }, timeIn(wait, " ")),
      ]),
      lines,
    ),
  );
}

function waitPath({ quantiles, started, jobs }, x, y, end) {
  if (!quantiles.length) return "";
  const points = quantiles.map((wait, at) => `H${x(wait).toFixed(1)}V${y(((at / 100) * started) / jobs).toFixed(1)}`);
  return `M${x(0)} ${y(0)}${points.join("")}H${end}`;
}
