// The stream of events as sentences, newest first: by channel, by player, paused, and each as JSON.

import { button, el } from '../dom.js';
import { number } from '../format.js';
import { sentenceOf } from '../sentences.js';
import { throttled } from '../store.js';
import { toast } from './toast.js';

/** So many rows are drawn; the filters look through all that is kept. */
const DRAWN = 200;
const REDRAW = 250;

export function eventsPanel(session, scope) {
  const { store } = session;
  const channel = el('select', { 'aria-label': 'Channel' });
  const player = el('select', { 'aria-label': 'Player' });
  const list = el('ol', { class: 'event-list' });
  const note = el('p', { class: 'panel-note' });
  /** The number of the first event that came after the pause. */
  let pausedAt = null;
  const pause = button('Pause', { 'aria-pressed': 'false', onclick: () => {
    pausedAt = pausedAt === null ? session.events.count : null;
    pause.setAttribute('aria-pressed', String(pausedAt !== null));
    draw();
  } });
  const names = { name: (id) => session.nameOf(id), planet: (id) => session.planetName(id) };

  const row = ({ event }) => el('li', { class: 'event' },
    el('span', { class: 'when', title: event.headers?.timestamp }, event.about?.roundNumber ? `R${number(event.about.roundNumber)}` : '–'),
    el('div', {}, el('div', { class: 'said' }, sentenceOf(event, names)), el('div', { class: 'channel' }, event.channel)),
    button('', { icon: 'copy', class: 'quiet', label: 'Copy as JSON', onclick: () => copy(event) }));

  const rows = new Map();
  const draw = () => {
    options(channel, 'All channels', [...session.events.channels].sort().map((name) => [name, name]));
    options(player, 'All players', session.playerIds.map((id) => [id, session.nameOf(id)]));
    const items = session.events.matching(channel.value, player.value, DRAWN, pausedAt ?? Infinity);
    // Rows that are there already stay: the focus, a selection and the time to draw them are kept.
    const next = items.map((item) => {
      const known = rows.get(item.number) ?? row(item);
      rows.set(item.number, known);
      return known;
    });
    const kept = new Set(items.map((item) => item.number));
    for (const key of rows.keys()) if (!kept.has(key)) rows.delete(key);
    list.replaceChildren(...next);
    const isFiltered = channel.value || player.value;
    note.textContent = items.length === 0 ? (isFiltered ? 'No such events yet.' : 'No events yet. They appear here as they happen.')
      : `The latest ${number(items.length)}${pausedAt !== null ? ', paused' : ''}.`;
  };
  const drawSoon = throttled(REDRAW, () => pausedAt !== null || draw());
  channel.addEventListener('change', draw);
  player.addEventListener('change', draw);
  scope.add(store.watch(['events', 'log'], drawSoon));
  draw();
  return el('div', { class: 'panel' }, el('div', { class: 'event-tools' }, channel, player, pause), note, list);
}

function options(select, all, entries) {
  const text = JSON.stringify(entries);
  if (select.dataset.shown === text) return;
  select.dataset.shown = text;
  const { value } = select;
  select.replaceChildren(...[['', all], ...entries].map(([key, label]) => el('option', { value: key }, label)));
  select.value = value;
}

async function copy(event) {
  try {
    await navigator.clipboard.writeText(JSON.stringify(event, null, 2));
    toast('Copied as JSON.');
  } catch {
    toast('The browser does not let this page write to the clipboard. Open it by https or on this machine.', 'bad');
  }
}
