// The countdown between two answers of the server: it goes over boundaries on the server's schedule, and only then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RoundClock } from '../assets/clock.js';
import { chances } from './recorded_game.mjs';

const GAME = { roundLengthInMillis: 2000, maxRounds: 10, pace: 'clock' };

/** What the server answers so long after the beginning of the game. */
function timeAt(passed, length = 2000, paused = false) {
  const roundTimeInMillis = passed % length;
  const phase = roundTimeInMillis < 0.75 * length ? 'collection' : 'execution';
  const phaseEndsInMillis = (phase === 'collection' ? 0.75 * length : length) - roundTimeInMillis;
  return { roundCount: 1 + Math.floor(passed / length), roundTimeInMillis, phase, phaseEndsInMillis, paused };
}

/** A clock that was told `time` just now; and when that was. */
async function told(time, game = GAME) {
  const clock = new RoundClock(async () => time);
  clock.game = game;
  await clock.sync();
  return [clock, performance.now()];
}

test('for a second after a boundary it says what the server will say', async () => {
  const chance = chances(7);
  for (let run = 0; run < 200; run++) {
    const begin = Math.floor(chance() * 8000);
    const time = timeAt(begin);
    const [clock, at] = await told(time);
    const later = Math.floor(chance() * (time.phaseEndsInMillis + 990));
    const [now, expected] = [clock.now(at + later), timeAt(begin + later)];
    const passed = ({ round, phase, leftInPhase }) => (round - 1) * 2000 + (phase === 'collection' ? 1500 : 2000) - leftInPhase;
    assert.ok(Math.abs(passed(now) - (begin + later)) < 20, `${begin} + ${later}: ${JSON.stringify([now, expected])}`);
    assert.equal(now.phaseLength, now.phase === 'collection' ? 1500 : 500);
  }
});

test('without a word of the server it stands after a second', async () => {
  const [clock, at] = await told(timeAt(1000));
  const shown = clock.now(at + 60_000);
  assert.deepEqual([shown.round, shown.phase, Math.round(shown.leftInPhase)], [2, 'collection', 1000]);
  assert.deepEqual(clock.now(at + 120_000), shown);
});

test('the next round has the length that was set for it', async () => {
  const [clock, at] = await told(timeAt(1900), { ...GAME, roundLengthInMillis: 400 });
  const { round, phase, leftInPhase } = clock.now(at + 200);
  assert.deepEqual([round, phase, Math.round(leftInPhase / 50)], [2, 'collection', 4]);
});

test('the last round, a pause and turbo have no next phase', async () => {
  const [last, at] = await told(timeAt(19_900));
  assert.deepEqual([last.now(at + 500).round, last.now(at + 500).leftInPhase], [10, 0]);
  const [paused, then] = await told(timeAt(1900, 2000, true));
  assert.deepEqual([paused.now(then + 5000).round, paused.now(then + 5000).leftInPhase], [1, 100]);
  const [turbo, there] = await told(timeAt(1900), { ...GAME, pace: 'turbo' });
  assert.deepEqual([turbo.now(there + 500).round, turbo.now(there + 500).leftInPhase], [1, 0]);
});

test('nothing is shown before the first round and after the last', async () => {
  const [clock] = await told({ roundCount: null, roundTimeInMillis: null, phase: null, phaseEndsInMillis: null, paused: false });
  assert.equal(clock.now().leftInPhase, null);
  assert.equal(new RoundClock(async () => null).now(), null);
});
