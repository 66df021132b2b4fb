// The admin token: what is hidden without it, how a wrong one is told, and that no other tab ever sees it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, inspect, open, openBeside } from './browser.mjs';
import { Server } from './server.mjs';
import { TIMEOUT, giveToken, tab, timelineSays } from './steps.mjs';

const TOKEN = 'a-long-enough-admin-token';

test('a wrong token is told with the server’s words, and the right one is used', TIMEOUT, async (t) => {
  const server = await Server.start('--admin-token', TOKEN);
  t.after(() => server.stop());
  const { gameId } = await server.create({}, TOKEN);
  const page = await open(server, `/#/games/${gameId}`);
  page.expected.push(/401/);
  await tab(page, 'Host');
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByRole('button', { name: 'End game' }).click();
  await giveToken(page, 'wrong');
  const alert = page.getByRole('dialog').getByRole('alert');
  await alert.waitFor();
  assert.equal(await alert.textContent(), await server.refusal('GET', '/rosters', undefined, 'wrong'));
  await inspect(page, 'wrong-token');
  await giveToken(page, 'pässword-€-令牌');
  await alert.getByText('The token has characters that no token has').waitFor();
  await giveToken(page, TOKEN);
  await page.locator('.chip.ended').waitFor();
  assertNoFaults(page);
});

test('the world of a running game is shown to who has the token, in that tab only', TIMEOUT, async (t) => {
  const server = await Server.start('--admin-token', TOKEN);
  t.after(() => server.stop());
  const gameId = await server.playing({}, TOKEN);
  // Nothing happens that would draw the page again.
  await server.command(gameId, 'pause', TOKEN);
  const page = await open(server, `/#/games/${gameId}`);
  page.expected.push(/401/);
  const hidden = page.getByText('The world is hidden while the game runs');
  await hidden.waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.board tbody tr').length === 3);
  assert.equal(await page.getByRole('application', { name: /World of/ }).count(), 0, 'nothing of the world is told to screen readers');
  await timelineSays(page, 'Past rounds need the admin token until the game has ended');
  await inspect(page, 'locked');
  await server.command(gameId, 'resume', TOKEN);

  await page.locator('.stage').getByRole('button', { name: 'Enter the admin token' }).click();
  await giveToken(page, TOKEN);
  await hidden.waitFor({ state: 'hidden' });
  await page.getByRole('application', { name: /World of \d+ planets, .*, [1-9]\d* robots at the end of round/ }).waitFor();
  await inspect(page, 'unlocked');

  const other = await openBeside(page, server, `/#/games/${gameId}`);
  other.expected.push(/401/);
  await other.getByText('The world is hidden while the game runs').waitFor();
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie]));
  assert.equal(kept, '[{},""]');
  await page.reload();
  await page.getByRole('application', { name: /World of/ }).waitFor();
  await page.getByRole('button', { name: 'Forget the admin token' }).click();
  await hidden.waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  assertNoFaults(page);
  assertNoFaults(other);
});
