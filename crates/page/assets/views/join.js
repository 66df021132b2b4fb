// How to join a game that has not started. Bots and people need the same two things:
// the address of the server, and a command to begin with.

import { el } from '../dom.js';

export const botCommand = () => `starkeep bot --count 4 --game-url ${location.origin}`;

export function howToJoin(session) {
  const players = session.store.get('board').length;
  return el('div', { class: 'empty' },
    el('h2', {}, 'Waiting for players'),
    el('p', {}, players === 0 ? 'Nobody has joined yet. Let four of the built-in bots play:'
      : 'Start the game in the Host tab when everybody is here. More bots join with:'),
    el('code', { class: 'snippet' }, botCommand()),
    el('p', {}, 'How to write your own is at ', el('a', { href: '/docs' }, 'the API’s description'), '.'));
}
