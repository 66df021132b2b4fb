// A line plot in SVG: axes, a legend by name that shows values, and the same numbers as a table.
// A click looks at that round.

import { el, svg } from './dom.js';
import { compact, number } from './format.js';

const WIDTH = 368;
const HEIGHT = 132;
const LEFT = 40;
const BOTTOM = 20;
const TOP = 6;
/** More than this cannot be told apart on the screen. */
const MOST_POINTS = 184;
const MOST_ROWS = 50;
const MOST_NAMES = 12;
/** How long a line is seen where several lie on each other. */
const TURN = 6;

/** The next of 1, 2, 5, 10, 20 … */
function niceStep(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= value);
}

/** So many of `length` places, evenly spread, the last always among them. */
function spread(length, most) {
  if (length <= most) return [...Array(length).keys()];
  return Array.from({ length: most }, (_, index) => Math.round((index * (length - 1)) / (most - 1)));
}

/**
 * Lines that lie on each other hide each other. Where several do, each is drawn for a short way in turn.
 * @param {string[][]} lines the points of each
 * @returns {{ line: number, path: string, turn: number, turns: number }[]}
 */
export function inTurns(lines) {
  const ways = new Map();
  lines.forEach((points, line) => points.slice(1).forEach((to, index) => {
    const way = `${points[index]}L${to}`;
    if (ways.has(way)) ways.get(way).push(line);
    else ways.set(way, [line]);
  }));
  const parts = new Map();
  lines.forEach((points, line) => {
    if (points.length === 1) parts.set(`point ${line}`, { line, path: `M${points[0]}h0`, turn: 0, turns: 1 });
    let before = null;
    points.slice(1).forEach((to, index) => {
      const together = ways.get(`${points[index]}L${to}`);
      const key = together.length === 1 ? `${line}` : `${line} of ${together}`;
      if (!parts.has(key)) parts.set(key, { line, path: '', turn: together.indexOf(line), turns: together.length });
      parts.get(key).path += before === key ? `L${to}` : `M${points[index]}L${to}`;
      before = key;
    });
  });
  return [...parts.values()];
}

export class Plot {
  #title;
  #rounds = [];
  #lines = [];
  #hovered = null;

  constructor(title, onPick) {
    this.#title = title;
    this.drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' });
    this.cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, visibility: 'hidden' });
    this.legend = el('ul', { class: 'plot-legend' });
    this.when = el('span', { class: 'panel-note' });
    this.table = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${title} as a table` });
    this.details = el('details', {}, el('summary', {}, 'As a table'), this.table);
    this.details.addEventListener('toggle', () => this.#fillTable());
    this.node = el('section', { class: 'plot' }, el('div', { class: 'plot-head' }, el('h2', {}, title), this.when), this.drawing, this.legend, this.details);
    this.drawing.addEventListener('pointermove', (event) => this.#hover(this.#placeAt(event)));
    this.drawing.addEventListener('pointerleave', () => this.#hover(null));
    this.drawing.addEventListener('click', (event) => onPick(this.#rounds[this.#placeAt(event)]));
  }

  /** @param {{ name: string, colour: string, values: (number|null)[] }[]} lines */
  show(rounds, lines, viewed) {
    this.#rounds = rounds;
    this.#lines = lines;
    const most = Math.max(1, ...lines.map((line) => line.values.reduce((a, b) => Math.max(a, b ?? 0), 0)));
    const step = niceStep(most / 3);
    const top = Math.ceil(most / step) * step;
    const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * value) / top;
    const parts = [];
    for (let value = 0; value <= top; value += step) {
      parts.push(svg('line', { class: 'grid', x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value) }),
        svg('text', { class: 'axis', x: LEFT - 8, y: y(value) + 4, 'text-anchor': 'end' }, compact(value)));
    }
    const places = spread(rounds.length, MOST_POINTS);
    for (const place of new Set(spread(rounds.length, 5))) {
      const anchor = place === 0 ? 'start' : place === rounds.length - 1 ? 'end' : 'middle';
      parts.push(svg('text', { class: 'axis', x: this.#x(place), y: HEIGHT - 4, 'text-anchor': anchor }, number(rounds[place])));
    }
    const at = rounds.indexOf(viewed);
    if (at >= 0) parts.push(svg('line', { class: 'viewed', x1: this.#x(at), x2: this.#x(at), y1: TOP, y2: HEIGHT - BOTTOM }));
    const points = lines.map(({ values }) => places.filter((place) => values[place] !== null && values[place] !== undefined)
      .map((place) => `${this.#x(place).toFixed(1)} ${y(values[place]).toFixed(1)}`));
    for (const { line, path, turn, turns } of inTurns(points)) {
      const dashes = turns > 1 ? { 'stroke-dasharray': `${TURN} ${TURN * (turns - 1)}`, 'stroke-dashoffset': -TURN * turn } : {};
      parts.push(svg('path', { class: turns > 1 ? 'line shared' : 'line', d: path, ...dashes, style: { stroke: lines[line].colour } }));
    }
    this.drawing.setAttribute('aria-label', `${this.#title} over ${number(rounds.length)} rounds, also as a table below`);
    this.drawing.replaceChildren(...parts, this.cursor);
    this.#label();
    if (this.details.open) this.#fillTable();
  }

  #x(place) {
    return this.#rounds.length < 2 ? LEFT : LEFT + ((WIDTH - LEFT) * place) / (this.#rounds.length - 1);
  }

  #placeAt(event) {
    const box = this.drawing.getBoundingClientRect();
    const across = ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT);
    return Math.round(Math.min(1, Math.max(0, across)) * (this.#rounds.length - 1));
  }

  #hover(place) {
    this.#hovered = place;
    this.cursor.setAttribute('visibility', place === null ? 'hidden' : 'visible');
    if (place !== null) {
      this.cursor.setAttribute('x1', this.#x(place));
      this.cursor.setAttribute('x2', this.#x(place));
    }
    this.#label();
  }

  /** The values at the cursor, or the newest. */
  #label() {
    const place = Math.min(this.#hovered ?? Infinity, this.#rounds.length - 1);
    this.when.textContent = `Round ${number(this.#rounds[place])}`;
    const more = this.#lines.length - MOST_NAMES;
    this.legend.replaceChildren(...this.#lines.slice(0, MOST_NAMES).map(({ name, colour, values }) => el('li', { class: 'player' },
      el('span', { class: 'swatch', style: { '--swatch': colour } }), el('span', { class: 'name' }, name), el('b', {}, number(values[place])))),
      ...(more > 0 ? [el('li', {}, `and ${more} more`)] : []));
  }

  #fillTable() {
    if (!this.details.open) return;
    const places = spread(this.#rounds.length, MOST_ROWS).reverse();
    this.table.replaceChildren(el('table', {},
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Round'), this.#lines.map(({ name }) => el('th', { scope: 'col', class: 'number' }, name)))),
      el('tbody', {}, places.map((place) => el('tr', {}, el('th', { scope: 'row' }, number(this.#rounds[place])),
        this.#lines.map(({ values }) => el('td', { class: 'number' }, number(values[place]))))))));
  }
}
