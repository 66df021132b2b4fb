// Who has sent commands in the open round, and who is ready. Counts only: what was sent is the players' business.
// Rows stay while their numbers change, so that a button in them keeps the focus.

import { host } from '../api.js';
import { button, el } from '../dom.js';
import { number } from '../format.js';
import { act, hasAdminToken } from '../host_action.js';
import { confirmed } from './dialog.js';
import { playerLabel } from './scoreboard.js';

export function playersPanel(session, scope) {
  return el('div', { class: 'panel' }, playersTable(session, scope, false));
}

/** @param {boolean} forHost with a button that takes a player out */
export function playersTable(session, scope, forHost) {
  const { store } = session;
  const refresh = () => document.hidden || session.refreshRoster();
  scope.every(Math.max(500, Math.min(5000, (store.get('game')?.roundLengthInMillis ?? 4000) / 4)), refresh);
  refresh();

  // Without an admin token the server cannot tell a host from anybody else, and lets nobody take others out.
  const hint = el('p', { class: 'panel-note', hidden: true }, 'A host can take players out where the server was started with an admin token.');
  let canTakeOut = null;
  const nobody = el('p', { class: 'panel-note' }, 'Nobody has joined yet.');
  const body = el('tbody', {});
  const table = el('table', { class: 'board' }, el('caption', { class: 'visually-hidden' }, 'Players in the open round'),
    el('thead', {}, el('tr', {}, ['Player', 'Ready', 'Sent', 'Refused', 'Late'].map((title, index) => el('th', { scope: 'col', class: index > 0 ? 'number' : null }, title)),
      forHost && el('th', {}, el('span', { class: 'visually-hidden' }, 'Take out')))), body);
  const rows = new Map();
  const show = () => {
    const isOver = store.get('game')?.gameStatus === 'ended';
    const roster = store.get('roster') ?? store.get('board');
    // Who has left is in no round any longer; the scoreboard still knows them.
    const left = new Set(store.get('board').filter((one) => one.left).map((one) => one.playerId));
    const players = [...roster, ...store.get('board').filter((one) => one.left && !roster.some((other) => other.playerId === one.playerId))];
    const next = players.map((one) => {
      const row = rows.get(one.playerId) ?? new Row(session, one, forHost);
      rows.set(one.playerId, row);
      row.show(one, left.has(one.playerId), canTakeOut && !isOver);
      return row.node;
    });
    if (next.length !== body.children.length || next.some((node, index) => body.children[index] !== node)) body.replaceChildren(...next);
    table.hidden = players.length === 0;
    nobody.hidden = players.length > 0;
    hint.hidden = !forHost || canTakeOut !== false || players.length === 0;
  };
  scope.add(store.watch(['roster', 'board', 'game'], show));
  if (forHost) {
    hasAdminToken().then((has) => {
      canTakeOut = has;
      show();
    });
  }
  return el('div', {}, nobody, table, hint);
}

class Row {
  #cells = Array.from({ length: 3 }, () => el('td', { class: 'number' }));
  #ready = el('span', {});
  #left = el('span', { class: 'tag' }, ' left');
  #remove = null;

  constructor(session, { playerId, name }, forHost) {
    this.#remove = forHost && button('', { icon: 'close', class: 'quiet', label: `Take ${name} out`, onclick: () => takeOut(session, playerId, name) });
    this.node = el('tr', {}, el('td', { class: 'who' }, playerLabel(session, playerId, name), this.#left),
      el('td', { class: 'number' }, this.#ready), this.#cells, forHost && el('td', {}, this.#remove));
  }

  show({ ready, commands, refused, late }, hasLeft, canTakeOut) {
    this.node.className = hasLeft ? 'out' : '';
    this.#left.hidden = !hasLeft;
    this.#ready.className = `mark ${ready ? 'yes' : 'no'}`;
    this.#ready.textContent = hasLeft ? '–' : ready ? 'yes' : 'no';
    [commands, refused, late].forEach((value, index) => (this.#cells[index].textContent = number(value)));
    this.#cells[2].className = late ? 'number late' : 'number';
    if (this.#remove) this.#remove.hidden = hasLeft || !canTakeOut;
  }
}

async function takeOut(session, playerId, name) {
  const text = 'Its further commands are refused and nobody waits for it. Its robots stay where they are. This cannot be undone.';
  if (!(await confirmed(`Take ${name} out of the game?`, text, 'Take out'))) return;
  if (await act(() => host.takeOut(session.id, playerId))) session.refresh();
}
