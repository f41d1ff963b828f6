import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { Client } from '../../../test/support/client.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, logIn, useConsole, waitForPage } from './support/console-page.js';

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

  inPage('A key that comes at once after others acts on the row to which they lead', async ({ page }) => {
    const echo = { toolId: 'core:echo', arguments: { value: 1 }, session: 'quick' };
    const sent = await Promise.all(Array.from({ length: 5 }, () => client.submit(echo)));
    const ids = sent.toSorted().toReversed();
    const press = (...keys: string[]) =>
      page.evaluate((pressed) => {
        for (const key of pressed)
          document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      }, keys);
    const opens = async (id: string | undefined) => {
      await page.waitForURL(new RegExp(`/console/invocations/${id}`));
      await page.goBack();
      await waitForPage(page, 'invocations');
      await byTestId(page, 'row').first().waitFor();
    };
    await page.goto('/console/invocations?session=quick');
    await logIn(page, KEY);
    await waitForPage(page, 'invocations');
    await press('j', 'j', 'Enter');
    await opens(ids[1]);
    await byTestId(page, 'row').first().focus();
    await press('End', 'Enter');
    await opens(ids[4]);
    await byTestId(page, 'rows').focus();
    await press('Enter');
    await opens(ids[4]);
  });

  inPage('A pair of keys works also while the page before it is only just being drawn', async ({ page }) => {
    await page.goto('/console/');
    await logIn(page, KEY);
    await waitForPage(page, 'overview');
    await page.evaluate(async () => {
      const press = (key: string) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      press('g');
      press('q');
      await Promise.resolve().then(() => undefined);
      press('g');
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
      press('p');
    });
    await waitForPage(page, 'processes');
  });

  inPage('Characters that follow the key of the palette at once are in its field', async ({ page }) => {
    await page.goto('/console/');
    await logIn(page, KEY);
    await waitForPage(page, 'overview');
    await page.evaluate(async () => {
      const press = (key: string, ctrlKey = false) =>
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }));
      press('k', true);
      // The page draws in the next microtask, long before the next frame.
      await Promise.resolve().then(() => undefined);
      for (const key of 'giq') press(key);
    });
    await byTestId(page, 'palette').waitFor();
    await hasFocus(page);
    await page.keyboard.type('u');
    expect(await page.getByRole('combobox').inputValue()).toBe('giqu');
    expect(new URL(page.url()).pathname).toBe('/console/');
  });

  inPage(
    'Esc closes the menu of a narrow page, and gives the focus back',
    async ({ page }) => {
      await page.goto('/console/');
      await logIn(page, KEY);
      await waitForPage(page, 'overview');
      await page.getByRole('button', { name: 'Menu' }).click();
      await byTestId(page, 'nav').getByRole('link', { name: 'Tools' }).focus();
      await page.keyboard.press('Escape');
      await byTestId(page, 'nav').waitFor({ state: 'hidden' });
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Menu');
    },
    { viewport: { width: 320, height: 640 } },
  );
});
