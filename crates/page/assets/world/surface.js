// The elements that a world is shown in: the canvas, the words for those who do not see it, and the legend.
// Their style sheet is world.css.

/** A narrower view has no room for an open legend. */
const LEGEND_OPEN_WIDTH = 720;

/** @param {HTMLElement} host */
export function buildSurface(host) {
  const root = element('div', 'world', { role: 'application', tabindex: '0', 'aria-roledescription': 'star chart' });
  const canvas = element('canvas', '', { 'aria-hidden': 'true' });
  const words = element('p', 'world-words', { 'aria-live': 'polite' });
  const legend = element('details', 'world-legend');
  legend.open = host.clientWidth >= LEGEND_OPEN_WIDTH;
  root.append(canvas, words, legend);
  host.append(root);
  return { root, canvas, words, legend };
}

function element(name, className, attributes = {}) {
  const made = document.createElement(name);
  made.className = className;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
