// Modal dialogs on the browser's own <dialog>: it keeps the focus inside and closes with Escape.
// Each resolves with what was chosen, or with nothing.

import { button, el } from '../dom.js';

/**
 * Shows `content` in a dialog. `close(value)` ends it.
 * @param {string} title
 * @param {(close: (value?: any) => void) => (Node|null)[]} content
 */
export function dialog(title, content) {
  return new Promise((resolve) => {
    let chosen;
    const close = (value) => {
      chosen = value;
      node.close();
    };
    const heading = el('h2', { id: 'dialog-title' }, title);
    const node = el('dialog', { 'aria-labelledby': 'dialog-title' });
    node.append(el('div', { class: 'content' }, heading, ...content(close)));
    node.addEventListener('close', () => {
      node.remove();
      resolve(chosen);
    });
    document.body.append(node);
    node.showModal();
  });
}

/** @returns {Promise<true|undefined>} */
export function confirmed(title, text, yes) {
  return dialog(title, (close) => [
    el('p', { class: 'note' }, text),
    el('div', { class: 'actions end' },
      button('Cancel', { onclick: () => close() }),
      button(yes, { class: 'danger filled', onclick: () => close(true) })),
  ]);
}
