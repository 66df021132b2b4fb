// A page in Debian's Chromium that watches itself: no error on the console, no request to another host.
// Every state is looked at by axe-core in light, dark and phone width, and kept as a picture.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const pictures = fileURLToPath(new URL('../../../target/page-screenshots/', import.meta.url));
mkdirSync(pictures, { recursive: true });
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** A folder with the page's files, to try a change of them without a build of the executable. */
const ASSETS = process.env.STARKEEP_PAGE_ASSETS;

/** Where the picture of a state is kept. */
export const picture = (name, look) => join(pictures, `${name}-${look}.png`);

/** One browser for all tests of a file; every page has a context of its own. */
let browser = null;
after(() => browser?.close());

export async function open(server, path = '/') {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light', permissions: ['clipboard-read', 'clipboard-write'] });
  if (ASSETS) await context.route('**/page/**', async (route) => route.fulfill({ path: join(ASSETS, new URL(route.request().url()).pathname.slice('/page/'.length)) }));
  return watched(await context.newPage(), server, path);
}

/** Another tab beside `page`. */
export const openBeside = async (page, server, path) => watched(await page.context().newPage(), server, path);

async function watched(page, server, path) {
  page.setDefaultTimeout(120_000);
  page.faults = [];
  /** What a test provokes on purpose: a server that is away, a wrong token. */
  page.expected = [];
  page.on('pageerror', (fault) => page.faults.push(`error: ${fault.stack}`));
  page.on('console', (message) => {
    if (message.type() === 'error') page.faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && !url.hostname.startsWith('127.')) page.faults.push(`request to ${url.host}`);
  });
  await page.goto(server.url + path);
  return page;
}

export function assertNoFaults(page) {
  const unexpected = page.faults.filter((fault) => !page.expected.some((pattern) => pattern.test(fault)));
  assert.deepEqual(unexpected, []);
}

export const LOOKS = [
  ['light', 1440, 900], ['dark', 1440, 900], ['phone', 390, 844],
];

/** Of the windows in which everything fits, in pixels. */
const NARROWEST = 320;

const SIDEWAYS = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** For a state that is a variation of another. */
export const FEW_LOOKS = LOOKS.slice(1);

/** Looks at the state in every look. Nothing may stick out to the right: that would make a page scroll sideways. */
export async function inspect(page, name, looks = LOOKS) {
  for (const [look, width, height] of looks) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: look === 'dark' ? 'dark' : 'light', reducedMotion: 'reduce' });
    // The policy forbids inline scripts, and so it must not be asked.
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await source());
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join(' | ')}`);
    const sideways = await page.evaluate(SIDEWAYS);
    await page.screenshot({ path: picture(name, look) });
    assert.equal(sideways, 0, `${name}, ${look}: wider than the window`);
    assert.deepEqual(found, [], `${name}, ${look}`);
  }
  await page.setViewportSize({ width: NARROWEST, height: 640 });
  assert.equal(await page.evaluate(SIDEWAYS), 0, `${name}: wider than a window of ${NARROWEST}`);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
}

let text = null;
async function source() {
  text ??= (await import('node:fs/promises')).readFile(axe, 'utf8');
  return text;
}
