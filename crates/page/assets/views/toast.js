// A text that appears for some seconds: that something was done, or why it was not.
// It is announced to screen readers, and takes no focus.

import { el } from '../dom.js';

const SHOWN = { good: 3000, bad: 8000 };
let shown = null;

export function toast(text, look = 'good') {
  shown?.remove();
  const node = el('div', { class: `toast ${look}`, role: look === 'bad' ? 'alert' : 'status' }, text);
  shown = node;
  document.body.append(node);
  setTimeout(() => node.remove(), SHOWN[look]);
}
