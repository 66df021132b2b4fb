// The players of a running game: who has sent what, and a player who is taken out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEW_LOOKS, assertNoFaults, inspect, open } from './browser.mjs';
import { Server, until } from './server.mjs';
import { TIMEOUT, giveToken, roundAfter, roundShown, tab } from './steps.mjs';

const TOKEN = 'a-long-enough-admin-token';
const row = (page, name) => page.locator('.board tbody tr', { hasText: name });

test('a player is taken out; the others play on', TIMEOUT, async (t) => {
  const server = await Server.start('--admin-token', TOKEN);
  t.after(() => server.stop());
  const gameId = await server.playing({}, TOKEN);
  const page = await open(server, `/#/games/${gameId}`);
  page.expected.push(/401/);
  await tab(page, 'Players');
  await row(page, 'bot-3').waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('.board tbody tr')].every((one) => Number(one.cells[2].textContent) > 0));
  await inspect(page, 'players');

  await tab(page, 'Host');
  const button = page.getByRole('button', { name: 'Take bot-2 out' });
  await button.focus();
  // The numbers go on changing under the focus, which must stay.
  const before = await page.locator('.board tbody').innerText();
  await page.waitForFunction((text) => document.querySelector('.board tbody').innerText !== text, before);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Take bot-2 out of the game?' }).waitFor();
  await inspect(page, 'take-out');
  await page.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await row(page, 'bot-2').locator('.tag').isVisible(), false);
  await button.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Take out' }).click();
  await giveToken(page, TOKEN);

  await row(page, 'bot-2').getByText('left').waitFor();
  await button.waitFor({ state: 'hidden' });
  assert.equal(await page.getByRole('button', { name: /Take bot-\d out/ }).count(), 2);
  await until(async () => (await server.call('GET', `/games/${gameId}/scoreboard`)).find((one) => one.name === 'bot-2').left);
  await tab(page, 'Scoreboard');
  await row(page, 'bot-2').getByText('left').waitFor();
  await inspect(page, 'scoreboard-left', FEW_LOOKS);
  await roundAfter(page, await roundShown(page));
  await tab(page, 'Host');
  await row(page, 'bot-2').getByText('left').waitFor();
  await inspect(page, 'taken-out');
  assertNoFaults(page);
});

test('a server without an admin token offers nobody to be taken out, and says why', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const gameId = await server.playing();
  const page = await open(server, `/#/games/${gameId}`);
  await tab(page, 'Host');
  await row(page, 'bot-3').waitFor();
  await page.getByText('A host can take players out where the server was started with an admin token.').waitFor();
  assert.equal(await page.getByRole('button', { name: /Take .* out/ }).count(), 0);
  await inspect(page, 'no-admin-token');
  assertNoFaults(page);
});
