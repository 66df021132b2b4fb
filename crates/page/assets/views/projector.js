// One screen for a lecture hall, which nobody touches: it follows the newest game that is not over,
// from who joins, over the ranking, to the result.

import { read } from '../api.js';
import { el, Scope } from '../dom.js';
import { count, nameOf, number, statusOf } from '../format.js';
import { playerSwatch } from '../palette.js';
import { LiveSession } from '../session.js';
import { showBanners } from './banners.js';
import { brand } from './header.js';
import { botCommand } from './join.js';
import { playerLabel } from './scoreboard.js';
import { stage } from './stage.js';
import { progress, roundClock } from './top_bar.js';

const LOOK_FOR_GAMES = 2000;
const MOST_NAMES = 24;
const MOST_RANKS = 8;
const MOST_OTHERS = 11;

export function showProjector({ top, main, banners, scope }) {
  let inner = new Scope();
  let followed = null;
  scope.add(() => inner.end());

  const follow = (id) => {
    inner.end();
    inner = new Scope();
    followed = id;
    for (const place of [top, main, banners]) place.replaceChildren();
    if (id) showOne({ top, main, banners, scope: inner }, new LiveSession(id));
    else showNone(top, main);
  };
  const look = async () => {
    const games = await read.games().catch(() => null);
    if (!games) return;
    const newest = (list) => [...list].sort((a, b) => b.createdAt.localeCompare(a.createdAt))[0]?.gameId ?? null;
    // A game that has ended stays until there is another.
    const wanted = newest(games.filter((game) => game.gameStatus !== 'ended')) ?? (games.some((game) => game.gameId === followed) ? followed : newest(games));
    if (wanted !== followed || main.childElementCount === 0) follow(wanted);
  };
  scope.every(LOOK_FOR_GAMES, look);
  look();
}

function showNone(top, main) {
  document.title = 'Starkeep';
  top.append(brand());
  main.append(el('div', { class: 'empty' }, el('h2', {}, 'No game yet'), el('p', {}, `It appears here as soon as somebody creates one at ${location.host}.`)));
}

function showOne({ top, main, banners, scope }, session) {
  const { store } = session;
  scope.add(() => session.close());
  showBanners(banners, session, scope);
  const title = el('h1', {}, 'Game');
  const chip = el('span', { class: 'chip' });
  top.append(brand(), title, chip, roundClock(session, scope), progress(session, scope));
  let kind = null;
  let part = new Scope();
  scope.add(() => part.end());
  scope.add(store.watch(['game', 'locked'], () => {
    const game = store.get('game');
    if (!game) return;
    const status = statusOf(game);
    document.title = `${nameOf(game)} · Starkeep`;
    title.textContent = nameOf(game);
    chip.className = `chip ${status.look}`;
    chip.textContent = status.word;
    const next = game.gameStatus === 'created' ? 'join' : game.gameStatus === 'ended' ? 'end' : store.get('locked') ? 'ranking' : 'play';
    if (next === kind) return;
    kind = next;
    part.end();
    part = new Scope();
    main.replaceChildren({ join, end, play: (...args) => play(true, ...args), ranking: (...args) => play(false, ...args) }[kind](session, part));
  }));
}

function join(session, scope) {
  const { store } = session;
  const names = el('ul', { class: 'names' });
  const heading = el('h3', {});
  scope.add(store.watch(['board', 'game'], () => {
    const board = store.get('board');
    heading.textContent = `${count(board.length, 'player')} of ${number(store.get('game').maxPlayers)}`;
    const more = board.length - MOST_NAMES;
    names.replaceChildren(...board.slice(0, MOST_NAMES).map((one) => el('li', {}, playerLabel(session, one.playerId, one.name))),
      ...(more > 0 ? [el('li', {}, `and ${more} more`)] : []));
  }));
  return el('div', { class: 'hall-join' },
    el('div', { class: 'steps' }, el('h2', {}, 'Join the game'),
      oneLine('p', 'address', location.origin),
      el('div', {}, el('p', {}, 'Let a built-in bot play'), oneLine('code', 'snippet', botCommand().replace('--count 4 ', ''))),
      el('div', {}, el('p', {}, 'Write your own; how is told at'), oneLine('code', 'snippet', `${location.origin}/docs`))),
    el('div', { class: 'joined' }, heading, names));
}

/** A text for one line: the longer it is, the smaller it is written, as long as it can be read from afar. */
function oneLine(tag, look, text) {
  return el(tag, { class: `${look} one-line`, style: { '--letters': text.length } }, text);
}

function play(withWorld, session, scope) {
  const list = el('ol', { class: 'ranking', 'aria-label': 'Ranking' });
  scope.add(session.store.watch(['board', 'log'], () => {
    const board = session.store.get('board');
    const more = board.length - MOST_RANKS;
    list.replaceChildren(...board.slice(0, MOST_RANKS).map((one) => el('li', {},
      el('span', { class: 'rank' }, number(one.rank)), playerLabel(session, one.playerId, one.name),
      el('span', { class: 'money' }, number(one.money), el('span', { class: 'robots' }, count(one.robotsAlive ?? 0, 'robot'))))),
      ...(more > 0 ? [el('li', { class: 'more' }, '', `and ${number(more)} more`)] : []));
  }));
  return el('div', { class: `hall ${withWorld ? '' : 'locked'}` }, withWorld && stage(session, scope), list);
}

function end(session, scope) {
  const podium = el('ol', { class: 'podium' });
  const others = el('ol', { class: 'others', start: 4 });
  scope.add(session.store.watch(['board', 'log'], () => {
    const board = session.store.get('board');
    const more = board.length - 3 - MOST_OTHERS;
    others.replaceChildren(...board.slice(3, 3 + MOST_OTHERS).map((one) => el('li', {}, el('span', { class: 'rank' }, number(one.rank)),
      playerLabel(session, one.playerId, one.name), el('span', {}, number(one.money)))), ...(more > 0 ? [el('li', {}, `and ${number(more)} more`)] : []));
    others.hidden = board.length <= 3;
    podium.replaceChildren(...board.slice(0, 3).map((one) => el('li', { class: `place-${one.rank}` },
      el('span', { class: 'name' }, one.name), el('span', { class: 'money' }, `${number(one.money)} money · ${count(one.robotsAlive ?? 0, 'robot')}`),
      el('span', { class: 'block', style: { '--swatch': playerSwatch(session.indexOf(one.playerId)) } }, number(one.rank)))));
  }));
  return el('div', { class: 'hall-end' }, el('h2', {}, 'Result'), podium, others);
}
