// Asks for the admin token. It is tried before it is kept, so a wrong one is told at once,
// with the server's own text.

import { button, el } from '../dom.js';
import { dialog } from './dialog.js';

/**
 * @param {string} reason why it is asked for, or what was wrong with the last one
 * @returns {Promise<string|undefined>}
 */
export function askForToken(reason, wasWrong) {
  return dialog('Admin token', (close) => {
    const input = el('input', { id: 'admin-token', type: 'password', autocomplete: 'off', required: true, 'aria-describedby': 'token-reason' });
    const submit = (event) => {
      event.preventDefault();
      close(input.value.trim());
    };
    return [
      el('p', { id: 'token-reason', class: wasWrong ? 'form-error' : 'note', role: wasWrong ? 'alert' : null }, reason),
      el('form', { class: 'field', onsubmit: submit, id: 'token-form' },
        el('label', { for: 'admin-token' }, 'The text that the server was started with'), input,
        el('p', { class: 'hint' }, 'It is kept in this tab only, and forgotten when the tab is closed.')),
      el('div', { class: 'actions end' },
        button('Cancel', { onclick: () => close() }),
        button('Use this token', { class: 'primary', type: 'submit', form: 'token-form' })),
    ];
  });
}
