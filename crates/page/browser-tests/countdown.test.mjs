// The countdown beside the server's own, at every moment: within phases and at their boundaries.
// Both are places on one line: how much of all rounds has passed. So an answer from before a boundary judges what is shown after it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, open } from './browser.mjs';
import { Server } from './server.mjs';
import { TIMEOUT } from './steps.mjs';

const ROUND = 2000;
const ROUNDS_WATCHED = 3;
const MOST = 100;
/** Longer answers judge, too, but less sharply. It watches until there were enough sharp ones so soon after a boundary. */
const LONGEST_ANSWER = 100;
const SOON = 200;

test('the countdown agrees with the server to 100 ms, also at the boundaries', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const gameId = await server.playing({ duration: ROUND });
  const page = await open(server, `/#/games/${gameId}`);
  await page.locator('.countdown[data-millis]').waitFor({ state: 'attached' });
  const { samples, atBoundaries } = await page.evaluate(async ({ id, length, rounds, sharp, soon }) => {
    const passed = (round, phase, left) => (round - 1) * length + (phase === 'collection' ? 0.75 * length : length) - left;
    const intoPhase = (place) => (place % length < 0.75 * length ? place % length : (place % length) - 0.75 * length);
    const found = [];
    let atBoundaries = 0;
    const begin = performance.now();
    while (performance.now() - begin < rounds * length || atBoundaries < 2 * rounds) {
      const asked = performance.now();
      const time = await (await fetch(`/games/${id}/time`)).json();
      const answered = performance.now();
      await new Promise(requestAnimationFrame);
      const { round, phase, millis } = document.querySelector('.countdown').dataset;
      const shown = passed(Number(round), phase, Number(millis));
      const told = passed(time.roundCount, time.phase, time.phaseEndsInMillis);
      // The answer was written at some moment between the two; so the place is known up to how long it took.
      // At a boundary the server's clock stands until it has written it down: then it is only known to be at least there.
      const least = told + performance.now() - answered;
      const most = time.phaseEndsInMillis === 0 ? Infinity : told + performance.now() - asked;
      const off = shown < least ? shown - least : Math.max(0, shown - most);
      const isSharp = answered - asked < sharp;
      if (isSharp && intoPhase(told) < soon) atBoundaries += 1;
      found.push({ took: answered - asked, off, told, shown, text: document.querySelector('.phase').textContent, phase });
    }
    return { samples: found, atBoundaries };
  }, { id: gameId, length: ROUND, rounds: ROUNDS_WATCHED, sharp: LONGEST_ANSWER, soon: SOON });
  const worst = samples.reduce((most, one) => (Math.abs(one.off) > Math.abs(most.off) ? one : most));
  t.diagnostic(`${samples.length} samples, ${atBoundaries} sharp ones soon after a boundary, worst ${worst.off.toFixed(0)} ms`);
  assert.ok(Math.abs(worst.off) <= MOST, JSON.stringify(worst));
  const words = { collection: 'Collecting commands', execution: 'Executing commands' };
  for (const { text, phase } of samples) assert.equal(text, words[phase]);
  assertNoFaults(page);
});
