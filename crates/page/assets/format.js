// How numbers, times and states are written, the same on every screen.
// Numbers are grouped, so that a row of them can be compared from afar.

import { shortId } from './model/short_id.js';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** 12,345; a dash for what is not known. */
export function number(value) {
  return value === null || value === undefined ? '–' : whole.format(value);
}

/** 12.3K, for axes. */
export function compact(value) {
  return Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);
}

/** `1.4 s`, `2:05`: tenths while every tenth counts. */
export function countdown(millis) {
  const left = Math.max(0, millis);
  if (left < 60_000) return `${(left / 1000).toFixed(1)} s`;
  const seconds = Math.ceil(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** `2 s`, `1 min 30 s`, for a length. */
export function duration(millis) {
  if (millis < 1000) return `${millis} ms`;
  const seconds = millis / 1000;
  if (seconds < 60) return `${+seconds.toFixed(1)} s`;
  const rest = Math.round(seconds % 60);
  return `${Math.floor(seconds / 60)} min${rest ? ` ${rest} s` : ''}`;
}

export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** The word and the look of a game's state. */
export function statusOf(game) {
  if (game.gameStatus === 'ended') return { word: 'Ended', look: 'ended' };
  if (game.gameStatus === 'created') return { word: 'Not started', look: 'created' };
  if (game.paused) return { word: 'Paused', look: 'paused' };
  return { word: 'Running', look: 'running' };
}

export function nameOf(game) {
  return game?.name ?? `Game ${shortId(game?.gameId)}`;
}

export function roundOf(game) {
  const round = game.currentRoundNumber ?? 0;
  return game.gameStatus === 'created' ? count(game.maxRounds, 'round') : `Round ${number(round)} of ${number(game.maxRounds)}`;
}
