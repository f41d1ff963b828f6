import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { Client } from '../../../test/support/client.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';

const KEY = 'a-key-of-the-operator-0123456789';
const MOST_STOPS = 80;

describeWithBrowser('The keyboard alone', () => {
  const stack = useStack({ with: ['worker'], env: { ERRAND_API_KEYS: KEY } });
  const { inPage } = useConsole(() => stack.url);
  const client = new Client(() => stack.url, { authorization: `Bearer ${KEY}` });

  /** Presses Tab until an element with the test id has the focus. */
  const tabTo = async (page: Page, id: string) => {
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      await page.keyboard.press('Tab');
      if ((await focusedId(page)) === id) return;
    }
    throw new Error(`${MOST_STOPS} times Tab do not lead to ${id}`);
  };
  const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
  const hasFocus = (page: Page) => page.waitForFunction(() => document.activeElement !== document.body);

  inPage('A reader logs in, finds a failed invocation and repairs it', async ({ page }) => {
    const { id } = await client.invoke({ toolId: 'core:math', arguments: { op: 'divide', a: 6, b: 0 } });
    await page.goto('/console/');
    await byTestId(page, 'login-form').waitFor();
    await hasFocus(page);
    await page.keyboard.type(KEY);
    await page.keyboard.press('Enter');
    await waitForPage(page, 'overview');
    await hasFocus(page);
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await waitForPage(page, 'invocations');
    await page.keyboard.press('j');
    await page.locator(`[data-testid="row"][data-id="${id}"]:focus`).waitFor();
    await page.keyboard.press('Enter');
    await waitForPage(page, 'invocation');
    await hasFocus(page);
    await tabTo(page, 'retry');
    await page.keyboard.press('Enter');
    await byTestId(page, 'retry-dialog').waitFor();
    await byTestId(page, 'retry-json').waitFor();
    await tabTo(page, 'retry-json');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('{"op": "divide", "a": 6, "b": 2}');
    await byTestId(page, 'retry-diff').locator('td', { hasText: '/b' }).waitFor();
    await tabTo(page, 'retry-confirm');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.includes('/invocations/inv_') && !url.pathname.endsWith(id));
    await page.locator('[data-testid="status"][data-status="succeeded"]').waitFor();
    await hasFocus(page);
    await page.keyboard.press(']');
    await byTestId(page, 'panel-graph').waitFor();
  });
});
