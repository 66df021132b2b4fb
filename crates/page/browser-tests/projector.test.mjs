// The screen of a lecture hall, from who joins to the result.
// Nobody touches it, so it has to find its game and show everything without scrolling.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, inspect, open } from './browser.mjs';
import { Server } from './server.mjs';
import { TIMEOUT } from './steps.mjs';

/** What is to be typed is whole, large and on the screen; the address is on one line. */
async function assertReadable(page) {
  const lines = await page.locator('.one-line').evaluateAll((nodes) => nodes.map((node) => ({
    text: node.textContent, lines: Math.round(node.clientHeight / Number.parseFloat(getComputedStyle(node).lineHeight)), isClipped: node.scrollWidth > node.clientWidth,
    isBelow: node.getBoundingClientRect().bottom > innerHeight, size: Number.parseFloat(getComputedStyle(node).fontSize), least: innerHeight / 48,
  })));
  assert.equal(lines.length, 3);
  for (const line of lines) assert.ok(!line.isClipped && !line.isBelow && line.size >= line.least, JSON.stringify(line));
  assert.equal(lines[0].lines, 1, 'the address is on one line');
}

test('the projector shows who joins, the ranking and the result', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const page = await open(server, '/?projector');
  await page.getByText('No game yet').waitFor();
  const { gameId } = await server.create({ maxRounds: 4, duration: 2000 });
  await page.getByText('Join the game').waitFor();
  server.bots(5, gameId);
  await page.getByText('5 players of 6').waitFor();
  await assertReadable(page);
  await inspect(page, 'projector-join');
  await page.setViewportSize({ width: 1024, height: 768 });
  await assertReadable(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await server.command(gameId, 'start');
  await page.waitForFunction(() => document.querySelectorAll('.ranking li').length === 5);
  await inspect(page, 'projector-running');
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await inspect(page, 'projector-result');
  assertNoFaults(page);
});
