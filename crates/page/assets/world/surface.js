// The elements that a world is shown in: the canvas, the words for those who do not see it, and the legend.
// They bring their own style sheet, unless the page has linked it already.

/** A narrower view has no room for an open legend. */
const LEGEND_OPEN_WIDTH = 720;

/** @param {HTMLElement} host */
export function buildSurface(host) {
  linkStyles();
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

function linkStyles() {
  const address = new URL('./world.css', import.meta.url).href;
  if ([...document.querySelectorAll('link[rel="stylesheet"]')].some(({ href }) => href === address)) return;
  const link = element('link', '', { rel: 'stylesheet', href: address });
  document.head.append(link);
}
