// The header of a game: its name and state, the round, the phase with its countdown, and how far the game is.

import { button, el, svg } from '../dom.js';
import { count, countdown, nameOf, number, statusOf } from '../format.js';
import { showFairness } from './fairness.js';
import { brand, pageTools } from './header.js';

const PHASES = { collection: 'Collecting', execution: 'Executing' };
const AROUND = 2 * Math.PI * 8;

export function fillTopBar(top, session, scope) {
  const title = el('h1', {}, session.isFile ? 'Replay' : 'Game');
  const chip = el('span', { class: 'chip', hidden: true });
  const fairness = !session.isFile && button('', { icon: 'scale', label: 'Fairness of this world', class: 'quiet', onclick: () => showFairness(session) });
  top.append(brand(), el('div', { class: 'crumbs' }, el('span', { class: 'divider', 'aria-hidden': 'true' }, '/'), title, chip),
    roundClock(session, scope), pageTools(scope, fairness), progress(session, scope));
  scope.add(session.store.watch(['game', 'error'], () => {
    const game = session.store.get('game');
    if (!game && session.store.get('error')?.status) title.textContent = 'No game';
    if (!game) return;
    const status = session.isFile ? { word: 'Replay', look: 'created' } : statusOf(game);
    title.textContent = nameOf(game);
    title.title = nameOf(game);
    chip.hidden = false;
    chip.className = `chip ${status.look}`;
    chip.textContent = status.word;
  }));
}

/** Round n of m, and how long the phase lasts. */
export function roundClock(session, scope) {
  const round = el('span', { class: 'round' });
  const phase = el('span', { class: 'phase' });
  const arc = svg('circle', { class: 'left', cx: 10, cy: 10, r: 8, 'stroke-dasharray': AROUND });
  const ring = svg('svg', { class: 'ring', style: { display: 'none' }, viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('circle', { cx: 10, cy: 10, r: 8 }), arc);
  const time = el('span', { class: 'countdown', hidden: true, role: 'timer', 'aria-label': 'Left in this phase' });

  const show = () => {
    const game = session.store.get('game');
    if (!game) return;
    const now = session.clock?.now();
    const runs = ['running', 'started'].includes(game.gameStatus) && !session.isFile && now?.phase;
    // Of a file the timeline says which round is on show.
    const text = session.isFile || game.gameStatus === 'created' ? count(session.isFile ? session.lastRound : game.maxRounds, 'round')
      : `Round ${number(runs ? Math.max(now.round, game.currentRoundNumber ?? 0) : game.currentRoundNumber ?? 0)} of ${number(game.maxRounds)}`;
    if (round.textContent !== text) round.textContent = text;
    const timed = runs && game.pace !== 'turbo' && now.leftInPhase !== null;
    const word = runs ? (now.paused ? 'Paused' : game.pace === 'turbo' ? 'Turbo' : PHASES[now.phase]) : '';
    if (phase.dataset.word !== word) {
      phase.dataset.word = word;
      // A narrow header has no room for the second word.
      phase.replaceChildren(word, el('span', { class: 'of-what' }, Object.values(PHASES).includes(word) ? ' commands' : ''));
    }
    if (time.hidden === Boolean(timed)) ring.style.display = (time.hidden = !timed) ? 'none' : '';
    if (!timed) return;
    const left = countdown(now.leftInPhase);
    if (time.textContent !== left) time.textContent = left;
    Object.assign(time.dataset, { millis: Math.round(now.leftInPhase), phase: now.phase, round: now.round });
    // A ring that moves by less than half a pixel is not drawn again.
    const gone = Math.round(2 * AROUND * (1 - now.leftInPhase / now.phaseLength)) / 2;
    if (arc.getAttribute('stroke-dashoffset') !== String(gone)) arc.setAttribute('stroke-dashoffset', gone);
  };
  scope.everyFrame(show);
  return el('div', { class: 'clock' }, phase, ring, time, round);
}

export function progress(session, scope) {
  const bar = el('div', {});
  scope.add(session.store.watch(['game'], () => {
    const game = session.store.get('game');
    bar.style.transform = `scaleX(${game ? Math.min(1, (game.currentRoundNumber ?? 0) / game.maxRounds) : 0})`;
  }));
  return el('div', { class: 'game-progress' }, bar);
}
