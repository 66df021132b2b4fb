// Who has sent commands in the open round, and who is ready. Counts only: what was sent is the players' business.

import { host } from '../api.js';
import { button, el } from '../dom.js';
import { number } from '../format.js';
import { act } from '../host_action.js';
import { confirmed } from './dialog.js';
import { playerLabel } from './scoreboard.js';

export function playersPanel(session, scope) {
  return el('div', { class: 'panel' }, playersTable(session, scope, false));
}

/** @param {boolean} forHost with a button that takes a player out */
export function playersTable(session, scope, forHost) {
  const { store } = session;
  const place = el('div', {});
  const refresh = () => document.hidden || session.refreshRoster();
  scope.every(Math.max(500, Math.min(5000, (store.get('game')?.roundLengthInMillis ?? 4000) / 4)), refresh);
  refresh();
  let shown = null;
  scope.add(store.watch(['roster', 'board', 'game'], () => {
    const { gameStatus } = store.get('game') ?? {};
    const players = store.get('roster') ?? store.get('board');
    const left = new Set(store.get('board').filter((one) => one.left).map((one) => one.playerId));
    const text = JSON.stringify([players, gameStatus, [...left]]);
    if (text === shown) return;
    shown = text;
    place.replaceChildren(players.length === 0 ? el('p', { class: 'panel-note' }, 'Nobody has joined yet.')
      : table(session, players, left, forHost && gameStatus !== 'ended'));
  }));
  return place;
}

function table(session, players, left, canTakeOut) {
  const columns = ['Player', 'Ready', 'Sent', 'Refused', 'Late'];
  return el('table', { class: 'board' }, el('caption', { class: 'visually-hidden' }, 'Players in the open round'),
    el('thead', {}, el('tr', {}, columns.map((title, index) => el('th', { scope: 'col', class: index > 0 ? 'number' : null }, title)),
      canTakeOut && el('th', {}, el('span', { class: 'visually-hidden' }, 'Take out')))),
    el('tbody', {}, players.map((one) => el('tr', { class: left.has(one.playerId) ? 'out' : '' },
      el('td', { class: 'who' }, playerLabel(session, one.playerId, one.name), left.has(one.playerId) && el('span', { class: 'tag' }, ' left')),
      el('td', { class: 'number' }, el('span', { class: `mark ${one.ready ? 'yes' : 'no'}` }, one.ready ? 'yes' : 'no')),
      el('td', { class: 'number' }, number(one.commands)), el('td', { class: 'number' }, number(one.refused)),
      el('td', { class: `number ${one.late ? 'late' : ''}` }, number(one.late)),
      canTakeOut && el('td', {}, !left.has(one.playerId)
        && button('', { icon: 'close', class: 'quiet', label: `Take ${one.name} out`, onclick: () => takeOut(session, one) }))))));
}

async function takeOut(session, { playerId, name }) {
  const text = 'Its further commands are refused and nobody waits for it. Its robots stay where they are. This cannot be undone.';
  if (!(await confirmed(`Take ${name} out of the game?`, text, 'Take out'))) return;
  if (await act(() => host.takeOut(session.id, playerId))) session.refresh();
}
