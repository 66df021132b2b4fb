// One screen for a lecture hall, which nobody touches: it follows a game from who joins, over the ranking, to the result.
// With `game=ID` in the address it shows that one only.

import { read } from '../api.js';
import { button, el, Scope } from '../dom.js';
import { fittingList } from '../fitting_list.js';
import { count, nameOf, number, statusOf } from '../format.js';
import { unlock } from '../host_action.js';
import { projectedGame } from '../model/projected_game.js';
import { playerSwatch } from '../palette.js';
import { LiveSession } from '../session.js';
import { showBanners } from './banners.js';
import { notThere } from './game.js';
import { brand } from './header.js';
import { botCommand } from './join.js';
import { playerLabel } from './scoreboard.js';
import { stage } from './stage.js';
import { progress, roundClock } from './top_bar.js';

const LOOK_FOR_GAMES = 2000;
const MOST_OTHERS = 11;

export function showProjector({ top, main, banners, scope }, pinned) {
  let inner = new Scope();
  let followed = null;
  /** When its result was first seen. */
  let endedAt = null;
  scope.add(() => inner.end());

  const follow = (id) => {
    inner.end();
    inner = new Scope();
    followed = id;
    endedAt = null;
    for (const place of [top, main, banners]) place.replaceChildren();
    if (id) showOne({ top, main, banners, scope: inner }, new LiveSession(id));
    else showNone(top, main);
  };
  const look = async () => {
    const games = await read.games().catch(() => null);
    if (!games) return;
    const now = performance.now();
    if (games.find((game) => game.gameId === followed)?.gameStatus === 'ended') endedAt ??= now;
    const wanted = projectedGame(games, followed, endedAt === null ? 0 : now - endedAt);
    if (wanted !== followed || main.childElementCount === 0) follow(wanted);
  };
  if (pinned) {
    follow(pinned);
    return;
  }
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
  scope.add(store.watch(['game', 'locked', 'error'], () => {
    const game = store.get('game');
    const error = store.get('error');
    if (!game && error && !error.isTemporary) main.replaceChildren(notThere(error));
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
  const fill = fittingList(names, scope);
  const heading = el('h3', {});
  const bots = el('div', {}, el('p', {}, 'With a built-in bot'), oneLine('code', 'snippet', botCommand(1)));
  scope.add(store.watch(['board', 'game'], () => {
    const board = store.get('board');
    const { maxPlayers } = store.get('game');
    heading.textContent = `${count(board.length, 'player')} of ${number(maxPlayers)}`;
    bots.hidden = board.length >= maxPlayers;
    fill(board.map((one) => el('li', {}, playerLabel(session, one.playerId, one.name))));
  }));
  return el('div', { class: 'hall-join' },
    el('div', { class: 'steps' }, el('h2', {}, 'Join the game'),
      oneLine('p', 'address', location.origin),
      bots,
      el('div', {}, el('p', {}, 'With your own: register, then join; how is told at /docs'), oneLine('code', 'snippet', 'POST /players', 'PUT /games/{gameId}/players/{token}'))),
    el('div', { class: 'joined' }, heading, names));
}

/** Texts that stay on their lines: the longer they are, the smaller they are written, as long as they can be read from afar. */
function oneLine(tag, look, ...lines) {
  return el(tag, { class: `${look} one-line`, style: { '--letters': Math.max(...lines.map((line) => line.length)) } }, lines.join('\n'));
}

function play(withWorld, session, scope) {
  const list = el('ol', { class: 'ranking', 'aria-label': 'Ranking' });
  const fill = fittingList(list, scope);
  const nobody = el('p', { class: 'nobody' }, 'Nobody plays in this game.');
  scope.add(session.store.watch(['board', 'log'], () => {
    const board = session.store.get('board');
    list.hidden = board.length === 0;
    nobody.hidden = !list.hidden;
    fill(board.map((one) => el('li', {},
      el('span', { class: 'rank' }, number(one.rank)), playerLabel(session, one.playerId, one.name),
      el('span', { class: 'money' }, number(one.money), el('span', { class: 'robots' }, count(one.robotsAlive ?? 0, 'robot'))))));
  }));
  return el('div', { class: `hall ${withWorld ? '' : 'locked'}` }, withWorld && stage(session, scope), list, nobody, !withWorld && hidden());
}

/** Whoever set up the projector may have the token; the hall only reads why there is no world. */
function hidden() {
  return el('div', { class: 'hidden-world' }, el('p', {}, 'The world is hidden until the game has ended.'),
    button('Show the world: admin token', { icon: 'lock', class: 'quiet', onclick: () => unlock() }));
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
