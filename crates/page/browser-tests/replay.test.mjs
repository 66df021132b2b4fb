// A game as one file: downloaded from the page, and dropped on another whose server is gone and never knew the game.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { assertNoFaults, inspect, open } from './browser.mjs';
import { Server, until } from './server.mjs';
import { TIMEOUT, drop, tab, timelineSays } from './steps.mjs';

test('a replay is downloaded, and opened where there is no server', TIMEOUT, async (t) => {
  const [server, stranger] = await Promise.all([Server.start(), Server.start()]);
  t.after(() => Promise.all([server.stop(), stranger.stop()]));
  const gameId = await server.playing({ name: 'Final, 2026: “A”', maxRounds: 5, duration: 600_000, pace: 'turbo' });
  await until(async () => (await server.game(gameId)).gameStatus === 'ended');
  const host = await open(server, `/#/games/${gameId}`);
  await tab(host, 'Scoreboard');
  await host.locator('.board tbody tr').nth(2).waitFor();
  const result = await host.locator('.board tbody').innerText();
  await tab(host, 'Host');
  const [download] = await Promise.all([host.waitForEvent('download'), host.getByRole('button', { name: 'Download replay' }).click()]);
  assert.equal(download.suggestedFilename(), 'Final-2026-A-.ndjson');
  const text = await readFile(await download.path(), 'utf8');
  assert.equal(text, await (await fetch(`${server.url}/games/${gameId}/replay`)).text());
  assertNoFaults(host);
  await host.close();

  const page = await open(stranger, '/#/replay');
  await page.getByRole('heading', { name: 'Open a replay' }).waitFor();
  await inspect(page, 'open-replay');
  await stranger.halt();
  await drop(page, '{"format":"something else"}\n');
  await page.getByText('This file cannot be shown').waitFor();
  await inspect(page, 'no-replay');
  await drop(page, text);
  await timelineSays(page, 'Round 0 of 5');
  await page.getByRole('button', { name: 'One round on' }).click();
  await timelineSays(page, 'Round 1 of 5');
  await page.getByRole('application', { name: /, 3 robots at the end of round 1/ }).waitFor();
  await inspect(page, 'replay');
  await page.getByRole('slider', { name: 'Round on show' }).fill('5');
  await page.getByText('As it was after round 5.').waitFor();
  assert.equal(await page.locator('.board tbody').innerText(), result, 'it ends as the server said');
  assertNoFaults(page);
});
