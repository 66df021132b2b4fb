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
/** Longer answers judge, too, but less sharply. There have to be enough of the others, also here: */
const LONGEST_ANSWER = 100;
const SOON = 200;

test('the countdown agrees with the server to 100 ms, also at the boundaries', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const gameId = await server.playing({ duration: ROUND });
  const page = await open(server, `/#/games/${gameId}`);
  await page.locator('.countdown[data-millis]').waitFor({ state: 'attached' });
  const samples = await page.evaluate(async ({ id, length, rounds }) => {
    const passed = (round, phase, left) => (round - 1) * length + (phase === 'collection' ? 0.75 * length : length) - left;
    const found = [];
    const begin = performance.now();
    while (performance.now() - begin < rounds * length) {
      const asked = performance.now();
      const time = await (await fetch(`/games/${id}/time`)).json();
      const answered = performance.now();
      await new Promise(requestAnimationFrame);
      const { round, phase, millis } = document.querySelector('.countdown').dataset;
      const shown = passed(Number(round), phase, Number(millis));
      const told = passed(time.roundCount, time.phase, time.phaseEndsInMillis);
      // The answer was written at some moment between the two; so the place is known up to how long it took.
      const [least, most] = [told + performance.now() - answered, told + performance.now() - asked];
      const off = shown < least ? shown - least : Math.max(0, shown - most);
      found.push({ took: answered - asked, off, told, shown, text: document.querySelector('.phase').textContent, phase });
    }
    return found;
  }, { id: gameId, length: ROUND, rounds: ROUNDS_WATCHED });
  const worst = samples.reduce((most, one) => (Math.abs(one.off) > Math.abs(most.off) ? one : most));
  const intoPhase = ({ told }) => (told % ROUND < 0.75 * ROUND ? told % ROUND : (told % ROUND) - 0.75 * ROUND);
  const sharp = samples.filter(({ took }) => took < LONGEST_ANSWER);
  const atBoundaries = sharp.filter((one) => intoPhase(one) < SOON);
  t.diagnostic(`${samples.length} samples, ${sharp.length} of them sharp, ${atBoundaries.length} soon after a boundary, worst ${worst.off.toFixed(0)} ms`);
  assert.ok(sharp.length > samples.length / 2 && atBoundaries.length >= 2 * ROUNDS_WATCHED, 'the answers were too slow to judge');
  assert.ok(Math.abs(worst.off) <= MOST, JSON.stringify(worst));
  const words = { collection: 'Collecting commands', execution: 'Executing commands' };
  for (const { text, phase } of samples) assert.equal(text, words[phase]);
  assertNoFaults(page);
});
