// The stream of events: by channel, by player, paused, and each copied as JSON.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, inspect, open } from './browser.mjs';
import { Server } from './server.mjs';
import { TIMEOUT, roundAfter, roundShown, tab } from './steps.mjs';

const channels = (page) => page.locator('.event .channel').allTextContents();
const sentences = (page) => page.locator('.event .said').allTextContents();

test('events are filtered, paused and copied', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const gameId = await server.playing();
  const page = await open(server, `/#/games/${gameId}`);
  await tab(page, 'Events');
  await page.waitForFunction(() => new Set([...document.querySelectorAll('.event .channel')].map((one) => one.textContent)).size > 4);
  await inspect(page, 'events');

  await page.getByLabel('Channel').selectOption('movement');
  await page.getByText(/moved to planet \d+,\d+/).first().waitFor();
  assert.deepEqual([...new Set(await channels(page))], ['movement']);
  // The first event may be there before the others.
  await page.waitForFunction(() => new Set([...document.querySelectorAll('.event .said')].map((one) => one.textContent.split(' ')[0])).size > 1);
  await page.getByLabel('Player').selectOption({ label: 'bot-2' });
  // That player may move later than the others.
  await page.waitForFunction(() => {
    const said = [...document.querySelectorAll('.event .said')].map((one) => one.textContent);
    return said.length > 0 && said.every((text) => text.startsWith('bot-2 '));
  });
  await page.getByLabel('Channel').selectOption('');
  await page.waitForFunction(() => new Set([...document.querySelectorAll('.event .channel')].map((one) => one.textContent)).size > 1);
  assert.ok(!(await sentences(page)).some((text) => /bot-[13] /.test(text)), 'of all channels it is still that player');
  await page.getByLabel('Player').selectOption('');

  await page.getByRole('button', { name: 'Pause' }).click();
  const held = await sentences(page);
  const round = await roundShown(page);
  await roundAfter(page, round + 1);
  assert.deepEqual(await sentences(page), held, 'a pause holds the list');
  await page.getByLabel('Channel').selectOption('roundStatus');
  await page.getByLabel('Channel').selectOption('');
  assert.deepEqual(await sentences(page), held, 'also while it is filtered');
  await inspect(page, 'events-paused');
  const first = page.locator('.event').first();
  const said = await first.locator('.channel').textContent();
  await first.getByRole('button', { name: 'Copy as JSON' }).click();
  await page.getByText('Copied as JSON.').waitFor();
  const timeline = await page.locator('.timeline').boundingBox();
  const toast = await page.locator('.toast').boundingBox();
  assert.ok(toast.y + toast.height <= timeline.y, 'the text lies above the timeline');
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(copied.channel, said);
  assert.deepEqual(Object.keys(copied).sort(), ['about', 'channel', 'headers', 'id', 'payload']);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.waitForFunction((before) => [...document.querySelectorAll('.event .said')].map((one) => one.textContent).join() !== before, held.join());
  assertNoFaults(page);
});
