// How to join a game that has not started. Bots and people need the same two things:
// the address of the server, and a command to begin with.

import { el } from '../dom.js';
import { number } from '../format.js';

const BOTS = 4;

/** For so many bots; one needs no number. */
export const botCommand = (count) => `starkeep bot ${count > 1 ? `--count ${count} ` : ''}--game-url ${location.origin}`;

export function howToJoin(session) {
  const players = session.store.get('board').length;
  const { maxPlayers } = session.store.get('game');
  const free = maxPlayers - players;
  const ownBots = el('p', {}, 'How to write your own is at ', el('a', { href: '/docs' }, 'the API’s description'), '.');
  if (free <= 0) {
    return el('div', { class: 'empty' },
      el('h2', {}, 'Everybody is here'),
      el('p', {}, `All ${number(maxPlayers)} seats are taken. Start the game in the Host tab.`), ownBots);
  }
  return el('div', { class: 'empty' },
    el('h2', {}, 'Waiting for players'),
    el('p', {}, players === 0 ? 'Nobody has joined yet. Let some of the built-in bots play:'
      : 'Start the game in the Host tab when everybody is here. More bots join with:'),
    el('code', { class: 'snippet' }, botCommand(Math.min(BOTS, free))), ownBots);
}
