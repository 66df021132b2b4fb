// The legend and the zoom buttons that lie over the world.
// Built by script alone: no text of the game comes near markup.

import { STATION_PATH, shapePath } from './shapes.js';
import { ranksOf, tint } from './look.js';

const RING_NAMES = { 1: 'outer', 2: 'mid', 3: 'inner' };
/** More swatches than this would say nothing; the first and the last do. */
const MOST_SWATCHES = 5;

/** @returns {HTMLElement} */
export function zoomButtons({ zoomBy, fit }) {
  const group = element('div', 'world-zoom');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', 'Zoom');
  const button = (label, path, act) => {
    const made = element('button', 'world-button');
    made.type = 'button';
    made.title = label;
    made.setAttribute('aria-label', label);
    made.append(icon(path, { stroke: 'currentColor' }));
    made.addEventListener('click', act);
    group.append(made);
  };
  button('Zoom in', 'M -0.6 0 H 0.6 M 0 -0.6 V 0.6', () => zoomBy(1.5));
  button('Zoom out', 'M -0.6 0 H 0.6', () => zoomBy(1 / 1.5));
  button('Show the whole world', 'M -0.65 -0.2 V -0.65 H -0.2 M 0.2 -0.65 H 0.65 V -0.2 M 0.65 0.2 V 0.65 H 0.2 M -0.2 0.65 H -0.65 V 0.2', fit);
  return group;
}

/** @param {HTMLElement} legend is filled anew */
export function fillLegend(legend, planets, resources, look, theme) {
  const summary = element('summary', 'world-legend-title');
  summary.textContent = 'Legend';
  const list = element('ul', 'world-legend-list');
  for (const { label, rank } of swatches(planets)) {
    const swatch = element('span', 'world-swatch');
    swatch.style.background = tint(look, rank);
    list.append(entry(swatch, label));
  }
  if (planets.some(({ station }) => station)) list.append(entry(icon(STATION_PATH, { fill: look.station }), 'Space station'));
  for (const { label, shape, colour } of resources) list.append(entry(icon(shapePath(shape), { fill: colour(theme) }), label));
  legend.replaceChildren(summary, list);
}

function swatches(planets) {
  const ranks = [...ranksOf(planets)];
  const areRings = ranks.every(([difficulty]) => difficulty in RING_NAMES);
  const shown = ranks.length <= MOST_SWATCHES ? ranks : [ranks[0], ranks[ranks.length - 1]];
  return shown.map(([difficulty, rank]) => ({
    rank,
    label: areRings ? `${capital(RING_NAMES[difficulty])} ring, costs ${difficulty}` : `Costs ${difficulty} to enter`,
  }));
}

function entry(picture, label) {
  const item = element('li', 'world-legend-entry');
  const text = element('span');
  text.textContent = label;
  item.append(picture, text);
  return item;
}

function icon(path, attributes) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '-1.2 -1.2 2.4 2.4');
  svg.setAttribute('class', 'world-icon');
  svg.setAttribute('aria-hidden', 'true');
  const drawn = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  drawn.setAttribute('d', path);
  drawn.setAttribute('fill', attributes.fill ?? 'none');
  if (attributes.stroke) {
    drawn.setAttribute('stroke', attributes.stroke);
    drawn.setAttribute('stroke-width', '0.18');
    drawn.setAttribute('stroke-linecap', 'round');
  }
  svg.append(drawn);
  return svg;
}

function element(name, className = '') {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}
