// The world's place: it is shown, covered with the reason where it cannot be, and tells about the planet that was chosen.

import { button, el } from '../dom.js';
import { unlock } from '../host_action.js';
import { RESOURCES, playerColour } from '../palette.js';
import { throttled } from '../store.js';
import { onThemeChange } from '../theme.js';
import { WorldView } from '../world/world_view.js';
import { howToJoin } from './join.js';
import { planetCard } from './planet_card.js';

/** What happens in one round is shown within this, or within a part of a short round. */
const LONGEST_EFFECT = 600;
/** Events come one by one; robots glide for longer than this, so nobody sees the difference. */
const SHOW_EVERY = 100;

export function stage(session, scope) {
  const { store } = session;
  const place = el('div', { class: 'stage-host' });
  const cover = el('div', { class: 'stage-cover' });
  const view = new WorldView(place, {
    onSelectPlanet: (planet) => store.set({ planet }),
    colourOfPlayer: (index) => playerColour(index),
    resources: RESOURCES,
    reducedMotion: matchMedia('(prefers-reduced-motion: reduce)').matches,
  });
  scope.add(() => view.destroy());
  scope.add(onThemeChange(() => view.setTheme()));

  let isOpen = true;
  let shownLog = null;
  let shownRound = 0;
  const show = () => {
    const log = store.get('log');
    if (!log) return;
    if (log !== shownLog) view.setWorld(log.planets);
    const round = store.get('viewed') ?? log.lastRound;
    // One round on: what happened in it is played. A jump just shows the state.
    if (log === shownLog && store.get('viewed') !== null && round === shownRound + 1) view.play(log.effectsIn(round), LONGEST_EFFECT);
    shownLog = log;
    shownRound = round;
    view.show(log.stateAt(round), { highlightPlayer: store.get('highlight') });
  };
  const showSoon = throttled(SHOW_EVERY, () => isOpen && show());
  scope.add(() => (isOpen = false));
  scope.add(store.watch(['viewed', 'highlight'], show));
  scope.add(store.watch(['log'], showSoon));
  scope.add(session.onEffects((effects) => {
    if (session.isLive) view.play(effects, Math.min(LONGEST_EFFECT, store.get('game').roundLengthInMillis / 4));
  }));
  scope.add(store.watch(['planet'], () => view.select(store.get('planet'))));

  scope.add(store.watch(['log', 'locked', 'loading', 'game', 'board'], () => {
    const reason = whyHidden(session);
    const key = reason?.key ?? '';
    cover.hidden = !reason;
    place.inert = Boolean(reason);
    if (reason && cover.dataset.key !== key) cover.replaceChildren(reason.content());
    cover.dataset.key = key;
  }));
  return el('section', { class: 'stage', 'aria-label': 'World' }, place, cover, planetCard(session, scope));
}

function whyHidden(session) {
  const { store } = session;
  if (store.get('loading')) return { key: 'loading', content: () => el('p', { class: 'panel-note' }, 'Loading the world …') };
  const game = store.get('game');
  if (game?.gameStatus === 'created') {
    const names = store.get('board').length;
    return { key: `join ${names}`, content: () => howToJoin(session) };
  }
  if (store.get('locked')) return { key: 'locked', content: locked };
  if (!store.get('log')?.planets.length) return { key: 'none', content: () => el('p', { class: 'panel-note' }, 'This game has no world.') };
  return null;
}

function locked() {
  return el('div', { class: 'empty' },
    el('h2', {}, 'The world is hidden while the game runs'),
    el('p', {}, 'Who plays must not see more than their robots do. The host sees it with the admin token, and everybody after the end.'),
    button('Enter the admin token', { icon: 'lock', class: 'primary', onclick: () => unlock() }));
}
