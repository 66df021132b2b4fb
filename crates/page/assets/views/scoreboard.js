// The scoreboard of the round on show. Who is clicked stands out in the world.
// A row that changes its place glides there, so that an overtaking is seen.

import { el } from '../dom.js';
import { number } from '../format.js';
import { playerSwatch } from '../palette.js';
import { minedBy } from '../scores.js';

/** The player's colour and name. */
export function playerLabel(session, playerId, name = session.nameOf(playerId), tag = 'span', props = {}) {
  return el(tag, { ...props, class: 'player' },
    el('span', { class: 'swatch', style: { '--swatch': playerSwatch(session.indexOf(playerId)) } }), el('span', { class: 'name' }, name));
}

export function scoreboardPanel(session, scope) {
  const { store } = session;
  const note = el('p', { class: 'panel-note' });
  const body = el('tbody', {});
  const head = ['#', 'Player', 'Money', 'Robots', 'Mined', 'Won'];
  const titles = { Mined: 'Units mined', Won: 'Fights won' };
  const table = el('table', { class: 'board' }, el('caption', { class: 'visually-hidden' }, 'Scoreboard'),
    el('thead', {}, el('tr', {}, head.map((title, index) => el('th', { scope: 'col', class: index > 1 ? 'number' : null, title: titles[title] }, title)))), body);
  const rows = new Map();

  const row = (entry) => {
    const isChosen = store.get('highlight') === entry.playerId;
    const choose = () => store.set({ highlight: isChosen ? null : entry.playerId });
    const name = playerLabel(session, entry.playerId, entry.name, 'button', { type: 'button', 'aria-pressed': String(isChosen), onclick: choose, title: 'Show in the world' });
    const tag = entry.left ? ' left' : entry.out ? ' out' : '';
    const node = rows.get(entry.playerId) ?? el('tr', {});
    rows.set(entry.playerId, node);
    const text = JSON.stringify([entry, isChosen, session.indexOf(entry.playerId)]);
    if (node.dataset.shown === text) return node;
    const focused = node.contains(document.activeElement);
    node.dataset.shown = text;
    node.className = tag ? 'out' : '';
    node.replaceChildren(el('td', { class: 'rank' }, number(entry.rank)), el('td', { class: 'who' }, name, tag && el('span', { class: 'tag' }, tag)),
      el('td', { class: 'number money' }, number(entry.money)), el('td', { class: 'number' }, number(entry.robotsAlive)),
      el('td', { class: 'number' }, number(minedBy(entry))), el('td', { class: 'number' }, number(entry.fightsWon)));
    if (focused) name.focus();
    return node;
  };
  const show = () => {
    const board = session.shownBoard;
    note.textContent = board.length > 0 ? (session.isLive ? '' : `As it was after round ${number(session.round)}.`)
      : session.isLive && !session.isFile ? 'Nobody has joined yet.' : 'Nothing was scored up to this round.';
    note.hidden = note.textContent === '';
    table.hidden = board.length === 0;
    const before = new Map([...body.children].map((node) => [node, node.offsetTop]));
    const next = board.map(row);
    if (next.length !== body.children.length || next.some((node, index) => body.children[index] !== node)) {
      const focused = document.activeElement;
      body.replaceChildren(...next);
      if (body.contains(focused)) focused.focus();
      glide(next, before);
    }
  };
  scope.add(store.watch(['board', 'scores', 'viewed', 'highlight', 'log', 'game'], show));
  return el('div', { class: 'panel' }, note, table);
}

function glide(nodes, before) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const node of nodes) {
    const moved = before.has(node) ? before.get(node) - node.offsetTop : 0;
    if (moved) node.animate([{ transform: `translateY(${moved}px)` }, { transform: 'none' }], { duration: 300, easing: 'ease-out' });
  }
}
