// The first screen: all games, the newest first, and the way to a new one.

import { read } from '../api.js';
import { button, el } from '../dom.js';
import { count, nameOf, roundOf, statusOf } from '../format.js';
import { toGame } from '../router.js';
import { createGame } from './create_game.js';
import { openReplayButton } from './drop.js';
import { brand, pageTools } from './header.js';

const REFRESH = 2000;
const ORDER = { running: 0, paused: 0, created: 1, ended: 2 };

export function showGames({ top, main, banners, scope, openFile }) {
  document.title = 'Starkeep';
  top.append(brand(), pageTools(scope));
  const list = el('div', {}, el('p', { class: 'panel-note' }, 'Loading …'));
  const create = button('New game', { icon: 'plus', class: 'primary', onclick: createGame });
  main.append(el('div', { class: 'page' },
    el('div', { class: 'page-head' }, el('h1', {}, 'Games'),
      el('div', { class: 'actions' }, openReplayButton(openFile), create)),
    list));

  let shown = null;
  const refresh = async () => {
    try {
      const games = await read.games();
      banners.replaceChildren();
      // An answer that says the same is not drawn again: the focus would be lost.
      const text = JSON.stringify(games);
      if (text === shown) return;
      shown = text;
      list.replaceChildren(games.length === 0 ? noGame() : listOf(games));
    } catch (fault) {
      banners.replaceChildren(el('div', { class: 'banner' }, `${fault.message} Trying again.`));
    }
  };
  scope.every(REFRESH, refresh);
  refresh();
}

function listOf(games) {
  const rank = (game) => ORDER[statusOf(game).look];
  const sorted = [...games].sort((a, b) => rank(a) - rank(b) || b.createdAt.localeCompare(a.createdAt));
  return el('ul', { class: 'games' }, sorted.map((game) => {
    const status = statusOf(game);
    return el('li', {}, el('a', { class: 'game-row', href: toGame(game.gameId) },
      el('span', { class: 'title' }, nameOf(game)),
      el('span', {}, el('span', { class: `chip ${status.look}` }, status.word)),
      el('span', { class: 'meta' }, roundOf(game)),
      el('span', { class: 'meta' }, `${count(game.participatingPlayers.length, 'player')} of ${game.maxPlayers}`)));
  }));
}

function noGame() {
  const curl = `curl -X POST ${location.origin}/games \\\n  -H 'Content-Type: application/json' \\\n  -d '{"maxRounds":100,"maxPlayers":4}'`;
  return el('div', { class: 'games' }, el('div', { class: 'empty' },
    el('h2', {}, 'No game yet'),
    el('p', {}, 'Create one here or from a terminal. Then let bots join it, and start it.'),
    button('New game', { icon: 'plus', class: 'primary', onclick: createGame }),
    el('code', { class: 'snippet' }, curl)));
}
