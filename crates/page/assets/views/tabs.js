// Tabs as screen readers and keyboards expect them. Only the open panel exists,
// so that nothing is drawn that nobody sees.

import { el, Scope } from '../dom.js';

let chosen = 'Scoreboard';

/** @param {[string, (session: object, scope: Scope) => Node][]} panels */
export function tabs(panels, session, scope) {
  let inner = new Scope();
  scope.add(() => inner.end());
  const body = el('div', { class: 'side-body', role: 'tabpanel', id: 'panel', tabindex: '0' });
  const list = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Panels' });
  const buttons = panels.map(([title]) => el('button', {
    class: 'tab', role: 'tab', type: 'button', id: `tab-${title}`, 'aria-controls': 'panel', onclick: () => open(title),
  }, title));
  list.append(...buttons);

  function open(title) {
    chosen = title;
    inner.end();
    inner = new Scope();
    panels.forEach(([name], index) => {
      buttons[index].setAttribute('aria-selected', String(name === title));
      buttons[index].tabIndex = name === title ? 0 : -1;
    });
    body.setAttribute('aria-labelledby', `tab-${title}`);
    body.replaceChildren(panels.find(([name]) => name === title)[1](session, inner));
    body.scrollTop = 0;
  }

  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const index = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
    buttons[index].focus();
    open(panels[index][0]);
  });
  open(panels.some(([title]) => title === chosen) ? chosen : panels[0][0]);
  const wrapper = document.createDocumentFragment();
  wrapper.append(list, body);
  return wrapper;
}
