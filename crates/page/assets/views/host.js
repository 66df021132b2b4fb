// The host's tab: everything that is done to a game. What cannot work now is disabled, and says why.
// What is typed is judged by the server alone: its texts say more than a browser's.

import { host, read } from '../api.js';
import { button, el, enable } from '../dom.js';
import { count, nameOf, number } from '../format.js';
import { act } from '../host_action.js';
import { toGames } from '../router.js';
import { confirmed } from './dialog.js';
import { playersTable } from './players.js';
import { toast } from './toast.js';

export function hostPanel(session, scope) {
  return el('div', { class: 'panel' },
    controls(session, scope), settings(session, scope),
    el('section', {}, el('h2', {}, 'Players'), playersTable(session, scope, true)),
    files(session, scope), parts(session, scope));
}

function controls(session, scope) {
  const { store, id } = session;
  const command = (name) => async () => {
    const game = await act(() => host.command(id, name));
    if (game?.gameId) session.takeGame(game);
    if (game) session.refresh();
  };
  const end = async () => {
    if (await confirmed(`End “${nameOf(store.get('game'))}”?`, 'The game ends at once, in the middle of its round. This cannot be undone.', 'End game')) command('end')();
  };
  const begin = async () => {
    const text = 'Nobody has joined yet, and nobody can join after the start. The game runs without players.';
    if (store.get('game').participatingPlayers.length > 0 || (await confirmed('Start without players?', text, 'Start game'))) command('start')();
  };
  const start = button('Start', { icon: 'play', class: 'primary', onclick: begin });
  const pause = button('Pause', { icon: 'pause', onclick: command('pause') });
  const resume = button('Resume', { icon: 'play', onclick: command('resume') });
  const step = button('Step', { icon: 'step', onclick: command('step') });
  const stop = button('End', { icon: 'stop', class: 'danger', onclick: end });
  const pace = ['clock', 'turbo'].map((name) => button(name === 'clock' ? 'By the clock' : 'Turbo', {
    onclick: async () => (await act(() => host.change(id, 'pace', name))) && session.refresh(),
  }));
  scope.add(store.watch(['game', 'board'], () => {
    const game = store.get('game');
    const { gameStatus, paused } = game;
    const over = gameStatus === 'ended' && 'The game has ended.';
    const early = gameStatus === 'created' && 'The game has not started.';
    enable(start, over || (!early && 'The game has started already.'));
    enable(pause, over || early || (paused && 'The game is paused already.'));
    enable(resume, over || early || (!paused && 'The game is not paused.'));
    enable(step, over || early || (!paused && 'Pause first; then every step is one round.'));
    enable(stop, over);
    const hadFocus = document.activeElement === (paused ? pause : resume);
    pause.hidden = paused;
    resume.hidden = !paused;
    if (hadFocus) (paused ? resume : pause).focus();
    pace.forEach((one, index) => {
      one.setAttribute('aria-pressed', String(game.pace === ['clock', 'turbo'][index]));
      enable(one, over);
    });
  }));
  return el('section', {}, el('h2', {}, 'Game'), el('div', { class: 'host-controls' }, start, pause, resume, step, stop),
    el('div', { class: 'field' }, el('span', { class: 'label' }, 'Pace'), el('div', { class: 'segmented', role: 'group', 'aria-label': 'Pace' }, pace),
      el('span', { class: 'hint' }, 'Turbo: a round ends as soon as everybody is ready.')));
}

function settings(session, scope) {
  const { store, id } = session;
  const error = el('p', { class: 'form-error', role: 'alert' });
  const setting = (label, name, value, toServer, min) => {
    const input = el('input', { type: 'number', id: `set-${name}`, min, step: 'any' });
    const save = button('Save', { type: 'submit' });
    const submit = async (event) => {
      event.preventDefault();
      error.textContent = '';
      const wanted = toServer(Number(input.value));
      if (name === 'maxRounds' && !(await mayEnd(session, wanted))) return;
      const game = await act(() => host.change(id, name, wanted), (text) => (error.textContent = text));
      if (game) {
        session.takeGame(game);
        toast('Saved.');
      }
    };
    let known = null;
    scope.add(store.watch(['game'], () => {
      const game = store.get('game');
      // What somebody is typing stays, until the game itself has another value.
      if (known !== value(game)) input.value = known = value(game);
      const over = game.gameStatus === 'ended' && 'The game has ended.';
      enable(save, over);
      input.disabled = Boolean(over);
    }));
    return el('form', { class: 'field', onsubmit: submit, novalidate: true }, el('label', { for: input.id }, label), el('div', { class: 'actions nowrap' }, input, save));
  };
  return el('section', {}, el('h2', {}, 'Settings'), el('div', { class: 'fields' },
    setting('Rounds', 'maxRounds', (game) => game.maxRounds, (rounds) => rounds, 1),
    setting('Seconds a round', 'duration', (game) => game.roundLengthInMillis / 1000, (seconds) => Math.round(seconds * 1000), 0.1)), error);
}

/** Fewer rounds than were begun end a running game, which has to be meant. */
async function mayEnd(session, rounds) {
  const game = session.store.get('game');
  const round = Math.max(session.lastRound, session.clock.now()?.round ?? 0);
  if (game.gameStatus === 'created' || !Number.isInteger(rounds) || rounds < 0 || rounds >= round) return true;
  const text = `Round ${number(round)} runs already: with ${count(rounds, 'round')} the game ends at once, in the middle of its round. This cannot be undone.`;
  return confirmed(`End “${nameOf(game)}”?`, text, 'End game');
}

function files(session, scope) {
  const { store, id } = session;
  const download = button('Download replay', { icon: 'down', onclick: () => act(async () => save(await read.replay(id), `${nameOf(store.get('game'))}.ndjson`)) });
  const remove = button('Delete game', { icon: 'close', class: 'danger', onclick: async () => {
    const text = 'The game, its scores and its log are removed. A replay that was downloaded still works.';
    if (!(await confirmed(`Delete “${nameOf(store.get('game'))}”?`, text, 'Delete game'))) return;
    if (await act(() => host.remove(id))) location.hash = toGames;
  } });
  scope.add(store.watch(['game'], () => enable(remove, store.get('game').gameStatus !== 'ended' && 'Only an ended game can be deleted.')));
  return el('section', {}, el('h2', {}, 'Files'), el('div', { class: 'actions' }, download, remove));
}

async function save(response, name) {
  const url = URL.createObjectURL(await response.blob());
  el('a', { href: url, download: name.replace(/[^\w.-]+/g, '-') }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** How the server's parts are: executors, map, storage, Kafka. */
function parts(session, scope) {
  const list = el('ul', { class: 'parts' });
  scope.add(session.store.watch(['health'], () => {
    const known = Object.entries(session.store.get('health')?.parts ?? {});
    list.replaceChildren(...known.map(([name, { status, detail }]) => el('li', { class: 'part' },
      el('span', { class: `dot ${status}`, 'aria-hidden': 'true' }), el('span', {}, `${name}: ${status}`), el('span', { class: 'detail' }, detail))));
  }));
  return el('section', {}, el('h2', {}, 'Server'), list);
}
