// The screen of a lecture hall, from who joins to the result.
// Nobody touches it, so it has to find its game and show everything without scrolling.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, inspect, open, picture } from './browser.mjs';
import { Server, until } from './server.mjs';
import { TIMEOUT, giveToken, tabTo } from './steps.mjs';

const TOKEN = 'a-long-enough-admin-token';

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

const HALLS = [['720', 1280, 720], ['768', 1024, 768], ['1080', 1920, 1080]];

/** On the screens of halls everything is inside of the window, and nothing is inside of a box that hides a part of it. */
async function assertFits(page, name) {
  for (const [hall, width, height] of HALLS) {
    await page.setViewportSize({ width, height });
    // What was left out for another size comes back with the frame after the next.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
    const outside = () => page.evaluate(() => [...document.querySelectorAll('.top > *, #main, .one-line, .steps, .names, .names li, .ranking, .ranking li, .hall-end > *, .podium li > *, .others li, .hidden-world > *')]
      .filter((node) => {
        const { right, bottom } = node.getBoundingClientRect();
        const isCut = node.matches('.ranking, .names, #main, .steps, .top > *, .one-line') && (node.scrollHeight > node.clientHeight + 1 || node.scrollWidth > node.clientWidth + 1);
        return !node.hidden && (right > innerWidth + 0.5 || bottom > innerHeight + 0.5 || isCut);
      }).map((node) => `${node.tagName}.${node.className} ${node.textContent.slice(0, 40)}`));
    await page.screenshot({ path: picture(name, hall) });
    assert.deepEqual(await outside(), [], `${name}, ${width} × ${height}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollHeight > innerHeight || document.body.scrollHeight > innerHeight), false, name);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('the projector shows who joins, the ranking and the result', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const page = await open(server, '/?projector');
  await page.getByText('No game yet').waitFor();
  const { gameId } = await server.create({ duration: 2000 });
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
  await until(async () => (await server.game(gameId)).currentRoundNumber > 2);
  await server.command(gameId, 'end');
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await inspect(page, 'projector-result');
  assertNoFaults(page);
});

test('twelve players fit on every screen of a hall, and the projector stays on its game', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { gameId } = await server.create({ name: 'First', maxPlayers: 40, duration: 60_000 });
  const page = await open(server, '/?projector');
  await page.getByText('Join the game').waitFor();
  server.bots(12, gameId);
  await page.getByText('12 players of 40').waitFor();
  await assertFits(page, 'projector-join');
  const address = page.locator('.address');
  await address.evaluate((node) => {
    node.textContent = 'http://games.informatics.a-long-university.example.org:8080';
    node.style.setProperty('--letters', node.textContent.length);
  });
  await assertFits(page, 'projector-long-address');
  await server.create({ name: 'Second' });
  // Two looks at the list of games with the second one in it.
  for (let look = 0; look < 2; look++) await page.waitForResponse((answer) => answer.url().includes('/games?limit'));
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'First');
  await server.command(gameId, 'start');
  await page.locator('.ranking li').first().waitFor();
  await assertFits(page, 'projector-running');
  assert.match(await page.locator('.ranking .more').textContent(), /^and \d+ more$/);
  await server.command(gameId, 'end');
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await assertFits(page, 'projector-result');
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'First', 'the result stays');
  const { gameId: third } = await server.create({ name: 'Third' });
  await server.command(third, 'start');
  await page.getByRole('heading', { level: 1, name: 'Third' }).waitFor();
  await page.getByText('Nobody plays in this game.').waitFor();
  await page.goto(`${server.url}/?projector&game=${gameId}`);
  await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
  assertNoFaults(page);
});

test('a projector without the token says what is missing, and takes it', TIMEOUT, async (t) => {
  const server = await Server.start('--admin-token', TOKEN);
  t.after(() => server.stop());
  const { gameId } = await server.create({ maxPlayers: 12, duration: 60_000 }, TOKEN);
  await server.command(gameId, 'start', TOKEN);
  const page = await open(server, '/?projector');
  page.expected.push(/401/);
  await page.getByText('The world is hidden until the game has ended.').waitFor();
  await page.getByText('Nobody plays in this game.').waitFor();
  await assertFits(page, 'projector-locked');
  await inspect(page, 'projector-locked');
  await tabTo(page, 'Show the world: admin token');
  await page.keyboard.press('Enter');
  await giveToken(page, TOKEN);
  await page.getByRole('application', { name: /World of/ }).waitFor();
  assert.equal(await page.getByText('The world is hidden until').count(), 0);
  assertNoFaults(page);
});
