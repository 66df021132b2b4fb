// A host's way through the page, in a real browser against the real executable.
// Everything waits for what it wants to see; nothing waits for time to pass.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertNoFaults, inspect, launch, open } from './browser.mjs';
import { Server, until } from './server.mjs';

const TIMEOUT = { timeout: 180_000 };
let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

const roundShown = async (page) => Number((await page.locator('.clock .round').textContent()).match(/Round ([\d,]+)/)?.[1] ?? 0);
const roundAfter = (page, round) => page.waitForFunction((least) => Number(document.querySelector('.clock .round')?.textContent.match(/Round (\d+)/)?.[1]) > least, round);
const tab = (page, name) => page.getByRole('tab', { name }).click();

async function playing(server, rounds = 400) {
  const { gameId } = await server.create({ maxRounds: rounds });
  server.bots(3, gameId);
  await until(async () => (await server.call('GET', `/games/${gameId}`)).participatingPlayers.length === 3);
  await server.call('POST', `/games/${gameId}/gameCommands/start`);
  return gameId;
}

test('a host creates, starts, pauses, steps and ends a game', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const page = await open(browser, server);
  await page.getByText('No game yet').waitFor();
  await inspect(page, 'no-game');

  await page.getByRole('button', { name: 'New game' }).first().click();
  await page.getByLabel('Name').fill('<b>Class of 2026</b>');
  await page.getByLabel('Seconds a round').fill('2');
  await page.getByLabel('Money at the start').fill('1500');
  await inspect(page, 'create');
  await page.getByRole('button', { name: 'Create game' }).click();
  await page.getByText('Waiting for players').waitFor();
  await inspect(page, 'waiting');
  const gameId = (await server.call('GET', '/games'))[0].gameId;

  server.bots(3, gameId);
  await tab(page, 'Host');
  await page.getByRole('button', { name: 'Start' }).click();
  await roundAfter(page, 1);

  await tab(page, 'Scoreboard');
  await page.waitForFunction(() => document.querySelectorAll('.board tbody tr').length === 3);
  const board = () => page.locator('.board tbody').innerText();
  const first = await board();
  await tab(page, 'Events');
  await page.getByLabel('Channel').selectOption('movement');
  await page.getByText(/moved to planet \d+,\d+/).first().waitFor();
  await inspect(page, 'events');
  await page.getByLabel('Channel').selectOption('');
  await page.waitForFunction(() => [...document.querySelector('[aria-label=Channel]').options].some((one) => one.value === 'mining'));
  await page.getByLabel('Channel').selectOption('mining');
  await page.getByText(/mined (coal|iron|gem|gold|platin)/).first().waitFor();
  await page.getByRole('button', { name: 'Copy as JSON' }).first().click();
  assert.equal(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())).channel, 'mining');
  await tab(page, 'Scoreboard');
  await page.waitForFunction((before) => document.querySelector('.board tbody').innerText !== before, first);
  await inspect(page, 'running');
  await tab(page, 'Plots');
  await page.getByRole('img', { name: /Deposits left over/ }).waitFor();
  await inspect(page, 'plots');

  await tab(page, 'Host');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.locator('.chip.paused').waitFor();
  const paused = await roundShown(page);
  await page.getByRole('button', { name: 'Step' }).click();
  await roundAfter(page, paused);
  assert.equal(await roundShown(page), paused + 1);
  await inspect(page, 'paused');

  const slider = page.getByRole('slider', { name: 'Round on show' });
  await slider.fill('1');
  await tab(page, 'Scoreboard');
  await page.getByText('As it was after round 1.').waitFor();
  await inspect(page, 'past-round');
  await page.getByRole('button', { name: 'Live' }).click();

  await tab(page, 'Host');
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByRole('dialog').waitFor();
  await inspect(page, 'end-dialog');
  await page.getByRole('button', { name: 'End game' }).click();
  await page.locator('.chip.ended').waitFor();
  assertNoFaults(page);
});

test('the countdown agrees with the server to 100 ms', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const gameId = await playing(server);
  const page = await open(browser, server, `/#/games/${gameId}`);
  await page.locator('.countdown[data-millis]').waitFor({ state: 'attached' });
  // Both are read within one call, and only within one phase they speak of the same.
  const differences = await page.evaluate(async (id) => {
    const found = [];
    while (found.length < 5) {
      const asked = performance.now();
      const time = await (await fetch(`/games/${id}/time`)).json();
      const answered = performance.now();
      await new Promise(requestAnimationFrame);
      const shown = document.querySelector('.countdown');
      const expected = time.phaseEndsInMillis - (performance.now() - (asked + answered) / 2);
      const isSamePhase = Number(shown.dataset.round) === time.roundCount && document.querySelector('.phase').textContent.toLowerCase().startsWith(time.phase.slice(0, 7));
      // The text is renewed every 50 ms. An answer that took long cannot judge.
      if (isSamePhase && expected > 200 && answered - asked < 50) found.push(Number(shown.dataset.millis) - expected);
    }
    return found;
  }, gameId);
  for (const difference of differences) assert.ok(Math.abs(difference) <= 100, `${differences}`);
  assertNoFaults(page);
});

test('it says that the connection is lost, and comes back by itself', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const gameId = await playing(server);
  const page = await open(browser, server, `/#/games/${gameId}`);
  page.expected.push(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  await roundAfter(page, 1);
  await server.halt();
  await page.getByText(/Connection lost; trying again/).waitFor();
  await inspect(page, 'lost');
  const before = await roundShown(page);
  await server.run();
  await page.getByText('Connected again').waitFor();
  await roundAfter(page, before);
  assertNoFaults(page);
});

test('the world needs the admin token, and a wrong one is told', TIMEOUT, async (t) => {
  const server = await Server.start('--admin-token', 'a-long-enough-admin-token');
  t.after(() => server.stop());
  const { gameId } = await server.create({}, 'a-long-enough-admin-token');
  const page = await open(browser, server, `/#/games/${gameId}`);
  page.expected.push(/401/);
  await tab(page, 'Host');
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByRole('button', { name: 'End game' }).click();
  await page.getByLabel('The text that the server was started with').fill('wrong');
  await page.getByRole('button', { name: 'Use this token' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  assert.match(await page.getByRole('dialog').getByRole('alert').textContent(), /token/);
  await inspect(page, 'wrong-token');
  await page.getByLabel('The text that the server was started with').fill('a-long-enough-admin-token');
  await page.getByRole('button', { name: 'Use this token' }).click();
  await page.locator('.chip.ended').waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem('starkeep-admin-token')), null);
  assertNoFaults(page);
});

test('a replay file is dropped and played, without its server', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const gameId = await playing(server, 5);
  await until(async () => (await server.call('GET', `/games/${gameId}`)).gameStatus === 'ended');
  const text = await (await fetch(`${server.url}/games/${gameId}/replay`)).text();
  const page = await open(browser, server, '/#/replay');
  await page.getByRole('heading', { name: 'Open a replay' }).waitFor();
  await inspect(page, 'open-replay');
  const drop = (content) => page.evaluate((said) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([said], 'game.ndjson'));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, content);
  await drop('{"format":"something else"}\n');
  await page.getByText('This file cannot be shown').waitFor();
  await drop(text);
  await page.getByText('Round 0 of 5').waitFor();
  await page.getByRole('button', { name: 'One round on' }).click();
  await page.getByText('Round 1 of 5').waitFor();
  await inspect(page, 'replay');
  assertNoFaults(page);
});

test('the projector shows who joins, the ranking and the result', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const page = await open(browser, server, '/?projector');
  await page.getByText('No game yet').waitFor();
  const { gameId } = await server.create({ maxRounds: 3 });
  await page.getByText('Join the game').waitFor();
  server.bots(3, gameId);
  await page.getByText('3 players of 6').waitFor();
  await inspect(page, 'projector-join');
  await server.call('POST', `/games/${gameId}/gameCommands/start`);
  await page.waitForFunction(() => document.querySelectorAll('.ranking li').length === 3);
  await inspect(page, 'projector-running');
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await inspect(page, 'projector-result');
  assertNoFaults(page);
});
