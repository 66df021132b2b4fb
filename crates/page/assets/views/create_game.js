// The form for a new game. Only what differs from the server's defaults is sent,
// so that the server's own defaults stay the only ones; and the server alone judges what is typed.

import { host } from '../api.js';
import { button, el } from '../dom.js';
import { act } from '../host_action.js';
import { DEFAULTS } from '../model/new_game.js';
import { toGame } from '../router.js';
import { dialog } from './dialog.js';
import { toast } from './toast.js';

const STYLES = [
  ['', 'Balanced: starts are made even'],
  ['symmetric', 'Symmetric: starts are mirrored'],
  ['wild', 'Wild: as chance has it'],
];

function field(name, label, control, hint) {
  control.id = `new-${name}`;
  control.name = name;
  return el('div', { class: 'field' }, el('label', { for: control.id }, label), control, hint && el('span', { class: 'hint' }, hint));
}

const numberInput = (value, min, max, props) => el('input', { type: 'number', value, min, max, ...props });

/** What the form says, as the server wants it. */
function bodyOf(form) {
  const values = Object.fromEntries(new FormData(form));
  const body = { maxRounds: Number(values.rounds), maxPlayers: Number(values.players) };
  if (values.name.trim()) body.name = values.name.trim();
  if (values.duration) body.duration = Math.round(Number(values.duration) * 1000);
  if (values.style) body.style = values.style;
  if (values.seed !== '') body.seed = Number(values.seed);
  if (values.money !== '') body.startMoney = Number(values.money);
  return body;
}

export async function createGame() {
  const created = await dialog('New game', (close) => {
    const error = el('p', { class: 'form-error', role: 'alert' });
    const submit = async (event) => {
      event.preventDefault();
      error.textContent = '';
      const answer = await act(() => host.create(bodyOf(event.target)), (text) => (error.textContent = text));
      if (answer) close(answer);
    };
    const form = el('form', { id: 'new-game', onsubmit: submit, class: 'fields', novalidate: true },
      field('name', 'Name', el('input', { maxlength: 80, placeholder: 'Game 1', autofocus: true })),
      field('rounds', 'Rounds', numberInput(100, 1, 1_000_000, { required: true })),
      field('players', 'Players at most', numberInput(8, 1, 10_000, { required: true })),
      field('duration', 'Seconds a round', numberInput('', 0.1, 86_400, { step: 'any', placeholder: DEFAULTS.roundSeconds })),
      field('style', 'World', el('select', {}, STYLES.map(([value, label]) => el('option', { value }, label)))),
      field('money', 'Money at the start', numberInput('', 0, 1_000_000, { placeholder: DEFAULTS.startMoney })),
      field('seed', 'Seed', numberInput('', 0, Number.MAX_SAFE_INTEGER, { placeholder: 'By chance' }), 'The same seed makes the same world.'));
    return [form, error, el('div', { class: 'actions end' },
      button('Cancel', { onclick: () => close() }),
      button('Create game', { class: 'primary', type: 'submit', form: 'new-game' }))];
  });
  if (!created) return;
  const ignored = (created.ignoredFields ?? []).map(({ field: name }) => name).join(', ');
  if (ignored) toast(`This server does not know: ${ignored}`, 'bad');
  location.hash = toGame(created.gameId);
}
