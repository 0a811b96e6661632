// A table of many rows, of which only those in view exist. It is sorted, searched and walked through by keyboard.

import { address, button, byId, choice, make } from "./dom.js";
import { grouped } from "./units.js";

const OVERSCAN = 8;
const ROW = 34;
const CARD = 50;
const LINE = 20;
const LETTER = 7.4;
const PRINTED_ROWS = 500;
// Words such as node:gpu-1 name a thing, and not others whose names begin in the same way.
const EXACT = /^(job|node|queue|status|verdict):/;
// Words such as weight>=4 compare the value in a column, in tables that have values.
const COMPARED = /^(.+?)(<=|>=|!=|=|<|>)(.+)$/;
const COMPARISONS = {
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
  "=": (one, other) => one === other,
  "!=": (one, other) => one !== other,
};
export const narrow = matchMedia("(max-width: 700px)");

export class Table {
  // `rows` are what there is a row for; `columns` have: title, key(row) to sort by, cell(row) to show, width (a CSS grid track), numeric,
  // wide where a phone has no room for it, and says(row) where its text is shown whole, however long. `least` is the width below which the table scrolls sideways.
  // `comparable(row, name)` returns the value that a word of a search compares; null where the row has none.
  constructor(host, { label, columns, rows, text, open, empty, least = "", comparable = undefined }) {
    this.host = host;
    this.label = label;
    this.columns = columns;
    this.rows = rows;
    this.text = text;
    this.open = open;
    this.empty = empty;
    this.least = least;
    this.comparable = comparable;
    this.length = rows.length;
    this.sorted = this.rows;
    this.sorting = { column: -1, down: false };
    this.active = 0;
    this.filters = new Map();
    this.texts = new Map();
    // Told how many rows are shown, and how many there are.
    this.onchange = undefined;
    this.build();
  }

  build() {
    this.head = make(
      "div",
      { role: "row", class: "head", "aria-rowindex": 1 },
      this.columns.map((column, at) => this.title(column, at)),
    );
    this.body = make("div", { role: "rowgroup", class: "rows" });
    this.grid = make(
      "div",
      {
        role: "grid",
        class: "grid",
        tabindex: 0,
        "aria-label": this.label,
        "aria-colcount": this.columns.length,
        on: {
          scroll: () => this.renderSoon(),
          keydown: (event) => this.pressed(event),
          click: (event) => this.clicked(event),
          mouseover: (event) => this.tellWhole(event.target.closest('[role="gridcell"]')),
        },
      },
      make("div", { role: "rowgroup", class: "heads" }, this.head),
      this.body,
    );
    this.grid.style.setProperty("--tracks", this.columns.map((column) => column.width).join(" "));
    if (this.least) this.grid.style.setProperty("--least", this.least);
    this.id = this.host.id || this.label;
    this.host.append(this.sortField(), this.grid);
    narrow.addEventListener("change", () => this.refresh());
    new ResizeObserver(() => this.renderSoon()).observe(this.grid);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  title(column, at) {
    // A long name goes on in a second line, after one of the signs between its parts.
    const title = column.title.split(/(?<=[:./])/).flatMap((part) => [make("wbr"), part]);
    const sort = column.key && button(title, () => this.sortBy(at), { tabindex: -1 });
    return make("div", { role: "columnheader", class: column.numeric && "numeric" }, sort || title);
  }

  // On a phone rows are cards without headings, so sorting has a field of its own; it serves the keyboard as well.
  sortField() {
    const values = [
      [-1, "as listed"],
      ...this.columns.flatMap(({ title, key }, at) =>
        key
          ? [
              [at, title],
              [`${at}d`, `${title}, descending`],
            ]
          : [],
      ),
    ];
    const { field, select } = choice("Sort by", values, (value) =>
      this.sortBy(Number.parseInt(value, 10), value.endsWith("d")),
    );
    this.sortSelect = select;
    field.classList.add("sort");
    return field;
  }

  sortBy(at, down = this.sorting.column === at && !this.sorting.down) {
    this.sorting = { column: at, down };
    this.sortSelect.value = down ? `${at}d` : String(at);
    if (at < 0) {
      this.sorted = this.rows;
    } else {
      const keyed = this.rows.map((row) => [this.columns[at].key(row), row]);
      const sign = down ? -1 : 1;
      keyed.sort(([one], [other]) => (one < other ? -sign : one > other ? sign : 0));
      this.sorted = keyed.map(([, row]) => row);
    }
    [...this.head.children].forEach((title, place) => {
      if (place === at) title.setAttribute("aria-sort", down ? "descending" : "ascending");
      else title.removeAttribute("aria-sort");
    });
    this.refresh();
  }

  // A filter is a test of a row; null takes it away.
  filter(name, test) {
    if (test) this.filters.set(name, test);
    else this.filters.delete(name);
    this.refresh();
  }

  search(words) {
    const terms = words
      .toLowerCase()
      .split(/\s+/)
      .filter(Boolean)
      .map((term) => this.comparison(term) ?? this.inclusion(term));
    this.filter("search", terms.length ? (row) => terms.every((holds) => holds(row)) : null);
  }

  inclusion(term) {
    const exact = EXACT.test(term) ? `${term} ` : term;
    return (row) => this.textOf(row).includes(exact);
  }

  // Returns what tests a row for a word such as weight>=4; nothing where it is no such word, or there is no such column.
  comparison(term) {
    const [, name, sign, wanted] = (this.comparable && COMPARED.exec(term)) ?? [];
    if (!sign || this.comparable(this.rows[0], name) === undefined) return undefined;
    const limit = wanted.endsWith("%") ? Number(wanted.slice(0, -1)) / 100 : Number(wanted.replaceAll(",", ""));
    return (row) => {
      const value = this.comparable(row, name);
      if (value === null) return false;
      return COMPARISONS[sign](value, typeof value === "number" ? limit : wanted);
    };
  }

  textOf(row) {
    if (!this.texts.has(row)) this.texts.set(row, this.text(row).toLowerCase());
    return this.texts.get(row);
  }

  refresh() {
    const tests = [...this.filters.values()];
    this.shown = tests.length ? this.sorted.filter((row) => tests.every((test) => test(row))) : this.sorted;
    this.active = 0;
    this.grid.scrollTop = 0;
    this.grid.setAttribute("aria-rowcount", this.shown.length + 1);
    this.measure();
    this.render();
    this.onchange?.(this.shown.length, this.length);
  }

  // Finds where each row begins, from the number of lines that its texts take: too many rather than too few.
  measure() {
    const long = this.columns.flatMap(({ says }, at) => {
      const width = narrow.matches ? this.grid.clientWidth - 24 : this.head.children[at].clientWidth;
      return says ? [[says, Math.max(12, Math.floor(width / LETTER))]] : [];
    });
    const lines = (row) => Math.max(1, ...long.map(([says, room]) => Math.ceil(says(row).length / room)));
    this.tops = new Float64Array(this.shown.length + 1);
    this.measuredFor = this.grid.clientWidth;
    this.shown.forEach((row, at) => {
      const height = narrow.matches ? CARD + (long.length ? lines(row) * LINE : LINE) : ROW + (lines(row) - 1) * LINE;
      this.tops[at + 1] = this.tops[at] + height;
    });
    this.grid.style.setProperty("--tall", `${Math.max(2 * ROW, this.tops.at(-1))}px`);
  }

  // The row at a height.
  rowAt(top) {
    let [low, high] = [0, this.shown.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle + 1] <= top) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Rows that are there already stay: a click whose row is replaced while the button is down is lost.
  renderSoon() {
    if (this.printing) return;
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = undefined;
      const isResized = Math.abs(this.grid.clientWidth - this.measuredFor) > 1;
      if (isResized) this.measure();
      if (isResized || String(this.inView()) !== this.rendered) this.render();
    });
  }

  // The first row to render, and the one after the last.
  inView() {
    const { scrollTop } = this.grid;
    const first = Math.max(0, this.rowAt(scrollTop) - OVERSCAN);
    const last = this.rowAt(scrollTop + (this.grid.clientHeight || 480)) + 1 + OVERSCAN;
    return [first, Math.min(this.shown.length, last)];
  }

  render() {
    cancelAnimationFrame(this.waiting);
    this.waiting = undefined;
    const [first, last] = this.inView();
    this.rendered = String([first, last]);
    this.renderRows(first, last);
    this.body.style.height = `${Math.max(ROW, this.tops.at(-1))}px`;
  }

  renderRows(first, last) {
    const rows = [];
    for (let at = first; at < last; at += 1) rows.push(this.row(at));
    if (!this.shown.length)
      rows.push(
        make(
          "div",
          { role: "row", class: "nothing" },
          make("div", { role: "gridcell" }, this.empty ?? "Nothing matches."),
        ),
      );
    const focused = this.focused();
    this.body.replaceChildren(...rows);
    if (focused) this.focusAgain(focused);
    if (rows.length && this.shown.length) this.grid.setAttribute("aria-activedescendant", `${this.id}-${this.active}`);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  // What has the focus in a row: the place of the row, and which of its links and buttons it is.
  focused() {
    const inside = document.activeElement;
    /** @type {HTMLElement | false} */
    const row = this.body.contains(inside) && inside.closest("[data-at]");
    return row && { at: row.dataset.at, place: this.stops(row).indexOf(inside) };
  }

  // Rows in view are created again whenever the table scrolls, as it does when Tab reaches a row at its edge.
  focusAgain({ at, place }) {
    const row = this.body.querySelector(`[data-at="${at}"]`);
    (row ? this.stops(row)[place] : this.grid)?.focus({ preventScroll: true });
  }

  stops(row) {
    return [...row.querySelectorAll("a, button")];
  }

  row(at) {
    const row = this.shown[at];
    const cells = this.columns.map((column) =>
      make(
        "div",
        {
          role: "gridcell",
          class: [column.numeric && "numeric", column.wide && "wide-only", column.says && "whole"].filter(Boolean).join(" "),
          "data-title": column.title,
        },
        column.cell(row),
      ),
    );
    const made = make(
      "div",
      {
        role: "row",
        id: `${this.id}-${at}`,
        "aria-rowindex": at + 2,
        "data-at": at,
        class: at === this.active ? "row active" : "row",
      },
      cells,
    );
    made.style.transform = `translateY(${this.tops[at]}px)`;
    made.style.height = `${this.tops[at + 1] - this.tops[at]}px`;
    return made;
  }

  // Tells in a tooltip what a cell has no room for.
  tellWhole(cell) {
    if (cell && cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent;
  }

  print(begins) {
    this.printing = begins;
    cancelAnimationFrame(this.waiting);
    if (begins) this.renderForPrint();
    else this.render();
  }

  // Paper has no scroll bar: the first rows are printed, and how many there are is said.
  renderForPrint() {
    const last = Math.min(PRINTED_ROWS, this.shown.length);
    this.renderRows(0, last);
    if (last < this.shown.length)
      this.body.append(
        make("p", { class: "more" }, `${grouped(this.shown.length - last)} more; filter them to print them`),
      );
  }

  pressed(event) {
    const page = Math.max(1, this.rowAt(this.tops[this.active] + this.grid.clientHeight) - this.active - 2);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.target !== this.grid) return;
    if (event.key in moves) {
      event.preventDefault();
      this.moveTo(this.active + moves[event.key]);
    } else if (event.key === "Enter" && this.shown.length) {
      this.open?.(this.shown[this.active]);
    }
  }

  moveTo(at) {
    this.active = Math.min(Math.max(at, 0), Math.max(0, this.shown.length - 1));
    const head = this.head.offsetHeight;
    const top = this.tops[this.active];
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    const end = (this.tops[this.active + 1] ?? top) + head - this.grid.clientHeight;
    if (end > this.grid.scrollTop) this.grid.scrollTop = end;
    this.render();
  }

  clicked(event) {
    const row = event.target.closest("[data-at]");
    if (!row || event.target.closest("a, button")) return;
    this.active = Number(row.dataset.at);
    this.render();
    this.open?.(this.shown[this.active]);
  }
}

// A search field, fields to choose by, and the number of rows that are left. It shows the table for the first time.
export class Filters {
  constructor(host, table, { label, hint }) {
    this.table = table;
    this.fields = new Map();
    this.input = make("input", {
      type: "search",
      placeholder: hint,
      "aria-label": label,
      spellcheck: "false",
      autocomplete: "off",
      on: { input: () => this.searchSoon() },
    });
    this.counter = make("output", { class: "counter" });
    this.bar = make("div", { class: "filters", role: "search", "aria-label": label }, this.input);
    this.clearing = button("clear", () => this.clear(), { class: "quiet", hidden: true });
    host.prepend(this.bar);
    this.bar.append(this.clearing, this.counter);
    table.onchange = (shown, all) => this.told(shown, all);
    table.refresh();
  }

  // Offers to show only rows that have one value, with the number of those.
  add(name, label, read) {
    const numbers = new Map();
    for (const row of this.table.rows) numbers.set(read(row), (numbers.get(read(row)) ?? 0) + 1);
    const values = [...numbers]
      .filter(([value]) => value !== "")
      .sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
    const { field, select } = choice(
      label,
      [["", "all"], ...values.map(([value, some]) => [value, `${value} (${grouped(some)})`])],
      (value) => {
        this.table.filter(name, value === "" ? null : (row) => read(row) === value);
      },
    );
    this.fields.set(name, select);
    if (values.length > 1) this.bar.insertBefore(field, this.clearing);
    return this;
  }

  searchSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.table.search(this.input.value), this.table.length > 5000 ? 120 : 0);
  }

  set(words, values = {}) {
    this.input.value = words;
    for (const [name, select] of this.fields) {
      select.value = values[name] ?? "";
      select.dispatchEvent(new Event("change"));
    }
    this.table.search(words);
  }

  clear() {
    this.set("");
    this.input.focus();
  }

  told(shown, all) {
    this.clearing.hidden = !this.table.filters.size;
    this.counter.textContent = shown === all ? grouped(all) : `${grouped(shown)} of ${grouped(all)}`;
  }
}

// The table of a page's jobs or tasks, each of which opens its details, and its filters; `nothing` is said where there are none.
export function listOfAll(kind, { columns, rows, text, label = `${kind}s`, nothing = "", hint = "", least = "" }) {
  const host = byId(`${kind}s`).querySelector(".body");
  const empty = rows.length ? `No ${kind} matches.` : nothing || `There are no ${kind}s.`;
  const open = ({ path }) => {
    location.hash = address(kind, path);
  };
  const table = new Table(host, { label, columns, rows, text, open, empty, least });
  const search = `search ${kind}s`;
  return { table, filters: new Filters(host, table, { label: search, hint: hint || search }) };
}
