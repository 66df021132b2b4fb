// A list that shows as many rows as there is room for, and says how many it leaves out.
// For screens that nobody can scroll; where the list may grow, all rows fit.

import { el } from './dom.js';
import { number } from './format.js';

/** More than this fits on no screen. */
const MOST = 100;

/**
 * @param {HTMLElement} list its height comes from its place, not from its rows
 * @returns {(rows: Node[]) => void} sets the rows
 */
export function fittingList(list, scope) {
  let rows = [];
  const more = el('li', { class: 'more' });
  const overflows = () => list.scrollHeight > list.clientHeight + 1;
  const show = (count) => {
    more.textContent = `and ${number(rows.length - count)} more`;
    list.replaceChildren(...rows.slice(0, count), ...(count < rows.length ? [more] : []));
  };
  const fill = () => {
    let [least, most] = [0, Math.min(MOST, rows.length)];
    show(most);
    if (!overflows()) return;
    // The most rows that fit are between `least`, which do, and `most`, which do not.
    while (most - least > 1) {
      const middle = Math.floor((least + most) / 2);
      show(middle);
      if (overflows()) most = middle;
      else least = middle;
    }
    show(least);
  };
  // With the next frame: a change of the size while sizes are told would be told again.
  const observer = new ResizeObserver(() => requestAnimationFrame(fill));
  observer.observe(list);
  scope.add(() => observer.disconnect());
  return (next) => {
    rows = next;
    fill();
  };
}
