// The replay screen before a file was given. A file cannot be in an address,
// so this is also what a reload of a replay shows.

import { el } from '../dom.js';
import { openReplayButton } from './drop.js';
import { brand, pageTools } from './header.js';

export function showReplayPicker({ top, main, scope, openFile }) {
  document.title = 'Open a replay · Starkeep';
  top.append(brand(), pageTools(scope));
  main.append(el('div', { class: 'page' }, el('div', { class: 'games' }, el('div', { class: 'empty' },
    el('h1', {}, 'Open a replay'),
    el('p', {}, 'Drop a replay file anywhere on this page, or choose one. It is read here and sent nowhere.'),
    openReplayButton(openFile, { class: 'primary', icon: 'file' }),
    el('p', {}, 'A game’s replay is in its Host tab, and at:'),
    el('code', { class: 'snippet' }, `curl -O ${location.origin}/games/GAME_ID/replay`)))));
}
