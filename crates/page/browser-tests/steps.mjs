// What several tests do on the page, in a host's words.

/** Ends a test that waits for what never comes. */
export const TIMEOUT = { timeout: 240_000 };

const ROUND = '.clock .round';

export const roundShown = async (page) => Number((await page.locator(ROUND).textContent()).match(/Round ([\d,]+)/)?.[1] ?? 0);

export const roundAfter = (page, round) => page.waitForFunction(
  ([place, least]) => Number(document.querySelector(place)?.textContent.match(/Round (\d+)/)?.[1]) > least, [ROUND, round]);

export const tab = (page, name) => page.getByRole('tab', { name }).click();

/** Answers the dialog that asks for the admin token. */
export async function giveToken(page, token) {
  await page.getByLabel('The text that the server was started with').fill(token);
  await page.getByRole('button', { name: 'Use this token' }).click();
}

/** The round on the timeline. */
export const timelineSays = (page, text) => page.locator('.timeline output', { hasText: text }).waitFor();

/** Drops a file on the page. */
export const drop = (page, text, name = 'game.ndjson') => page.evaluate(([content, title]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([content], title));
  window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}, [text, name]);

/** Presses Tab until the control with this name has the focus. */
export async function tabTo(page, name, key = 'Tab') {
  const seen = [];
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    const focused = await page.evaluate(() => {
      const { activeElement: node } = document;
      return node.getAttribute('aria-label') ?? node.labels?.[0]?.textContent ?? node.textContent.slice(0, 80);
    });
    if (focused === name) return;
    seen.push(focused);
  }
  throw new Error(`Tab does not lead to “${name}”, but to ${seen.join(', ')}`);
}
