// Changes of a game: its rounds, the length of a round, its pace; and its deletion.
// What the server refuses is told with the server's own text, and nothing is changed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEW_LOOKS, assertNoFaults, inspect, open, openBeside } from './browser.mjs';
import { Server, until } from './server.mjs';
import { TIMEOUT, roundAfter, tab } from './steps.mjs';

test('a game is changed, and bad values are refused in the server’s words', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { gameId } = await server.create();
  const page = await open(server, `/#/games/${gameId}`);
  page.expected.push(/40[09]|422/);
  await tab(page, 'Host');
  const save = async (label, value) => {
    await page.getByLabel(label).fill(value);
    await page.getByLabel(label).press('Enter');
  };
  for (const [label, typed, field, value] of [['Rounds', '0', 'maxRounds', 0], ['Rounds', '1.5', 'maxRounds', 1.5], ['Seconds a round', '0.01', 'duration', 10]]) {
    const text = await server.refusal('PATCH', `/games/${gameId}/${field}`, { [field]: value });
    await save(label, typed);
    await page.locator('.panel').getByRole('alert').getByText(text, { exact: true }).waitFor();
  }
  await inspect(page, 'refused');
  const unchanged = await server.game(gameId);
  assert.deepEqual([unchanged.maxRounds, unchanged.roundLengthInMillis], [400, 1000]);

  await save('Rounds', '77');
  await page.locator('.clock .round', { hasText: '77 rounds' }).waitFor();
  assert.equal(await page.locator('.form-error').textContent(), '', 'the refusal is gone');
  await save('Seconds a round', '0.75');
  await until(async () => (await server.game(gameId)).roundLengthInMillis === 750);

  server.bots(2, gameId);
  await until(async () => (await server.game(gameId)).participatingPlayers.length === 2);
  await page.locator('.board tbody tr').first().waitFor();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.countdown').waitFor();
  const turbo = page.getByRole('button', { name: 'Turbo' });
  await turbo.click();
  await page.locator('.phase', { hasText: 'Turbo' }).waitFor();
  assert.equal(await turbo.getAttribute('aria-pressed'), 'true');
  assert.equal((await server.game(gameId)).pace, 'turbo');
  await page.locator('.countdown').waitFor({ state: 'hidden' });
  await inspect(page, 'turbo');
  await page.locator('.chip.ended').waitFor();
  assert.equal((await server.game(gameId)).currentRoundNumber, 77);
  assertNoFaults(page);
});

test('fewer rounds than were played end a game only after a question', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const gameId = await server.playing();
  const page = await open(server, `/#/games/${gameId}`);
  await tab(page, 'Host');
  await roundAfter(page, 2);
  const save = async (rounds) => {
    await page.getByLabel('Rounds').fill(rounds);
    await page.getByLabel('Rounds').press('Enter');
  };
  await save('300');
  // Until the page has the answer it shows the new value over what is typed next.
  await page.getByText('Saved.').waitFor();
  assert.equal((await server.game(gameId)).maxRounds, 300);
  const question = page.getByRole('dialog', { name: /^End “/ });
  await save('1');
  await question.getByText('with 1 round the game ends at once').waitFor();
  await inspect(page, 'fewer-rounds', FEW_LOOKS);
  await question.getByRole('button', { name: 'Cancel' }).click();
  const { maxRounds, gameStatus } = await server.game(gameId);
  assert.deepEqual([maxRounds, gameStatus], [300, 'running']);
  await save('');
  await question.getByText('with 0 rounds').waitFor();
  await question.getByRole('button', { name: 'End game' }).click();
  await page.locator('.chip.ended').waitFor();
  assertNoFaults(page);
});

test('an ended game is deleted, and who looks at it is told', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { gameId } = await server.create({ name: 'Old' });
  const page = await open(server, `/#/games/${gameId}`);
  const watcher = await openBeside(page, server, `/#/games/${gameId}`);
  await tab(page, 'Host');
  const remove = page.getByRole('button', { name: 'Delete game' });
  assert.equal(await remove.isDisabled(), true, 'only an ended game can be deleted');
  await server.command(gameId, 'end');
  await page.locator('.chip.ended').waitFor();
  await watcher.locator('.chip.ended').waitFor();
  await inspect(page, 'ended');
  await remove.click();
  await page.getByRole('dialog', { name: 'Delete “Old”?' }).waitFor();
  await inspect(page, 'delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete game' }).click();
  await page.getByText('No game yet').waitFor();
  await watcher.getByText('This game was deleted.').waitFor();
  await inspect(watcher, 'deleted');
  assert.equal((await server.request('GET', `/games/${gameId}`)).status, 404);
  assertNoFaults(page);
  assertNoFaults(watcher);
});
