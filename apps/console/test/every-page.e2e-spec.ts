import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { useStack } from '../../../test/support/start-stack.js';
import { axeFaults } from './support/axe-faults.js';
import { useConsole, waitForPage } from './support/console-page.js';
import { everyAddress, everyRoute, openPage, turnTo, type Ids } from './support/every-page.js';
import { seedOrdinary } from './support/ordinary-stack.js';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 320, height: 640 };
/** What a screen of 1,280 px has at 200 % zoom, in CSS px. */
const ZOOMED = { width: 640, height: 450 };

/** Exactly the policy of docs/console.md: a weaker one would let a hostile text do something. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** What a narrow or zoomed page must not do: move sideways as a whole. */
const sidewaysOf = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth + 1 ? [`the page is ${scrollWidth} px wide in ${clientWidth} px`] : [];
  });

/** Short words in cells of tables that continue in the next line. */
const brokenWords = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = [];
    const range = document.createRange();
    for (const cell of document.querySelectorAll('td')) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text; text = texts.nextNode())
        for (const { 0: word, index } of text.nodeValue?.matchAll(/(?<!\S)\p{L}{2,12}(?!\S)/gu) ?? []) {
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(`${word} is broken`);
        }
    }
    return found;
  });

/** The test ids of the elements that a reader can see or scroll to. */
const shownTestIds = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-testid]')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .map((element) => element.dataset['testid'] ?? ''),
  );

/** A page has one main part, with its name and one heading. */
const headingFaults = (page: Page) =>
  page.evaluate(() => {
    const count = (selector: string) => document.querySelectorAll(selector).length;
    const isNamed = count('main[data-page]') === 1 && document.querySelector('main')?.dataset['page'] !== '';
    const title = document.querySelector('[data-testid="page-title"]')?.textContent?.trim();
    if (count('main') === 1 && isNamed && count('h1') === 1 && title) return [];
    return [`it has ${count('main')} main parts, ${count('h1')} headings and the title ${title}`];
  });

/** Movements that go on although the reader asked for none. */
const movementsOf = (page: Page) =>
  page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ playState, effect }) => playState === 'running' && Number(effect?.getComputedTiming().duration) > 1)
      .map((animation) => `an animation runs: ${'animationName' in animation ? String(animation.animationName) : ''}`),
  );

describeWithBrowser('Every page of the console', () => {
  const stack = useStack({ with: ['worker'], examples: true, env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1' } });
  const { inPage } = useConsole(() => stack.url);
  let ids: Ids;
  beforeAll(async () => (ids = await seedOrdinary(stack.client)));

  const addresses = () => everyAddress(ids);

  it('Each page is sent with the policy, and no page needs more', async () => {
    for (const address of addresses()) {
      const { status, headers } = await fetch(stack.url + address, { headers: { accept: 'text/html' } });
      expect({
        address,
        status,
        policy: headers.get('content-security-policy'),
        type: headers.get('x-content-type-options'),
        referrer: headers.get('referrer-policy'),
        opener: headers.get('cross-origin-opener-policy'),
      }).toEqual({
        address,
        status: 200,
        policy: POLICY,
        type: 'nosniff',
        referrer: 'no-referrer',
        opener: 'same-origin',
      });
    }
  });

  inPage(
    'On each page axe finds no serious fault in light, in dark and at 320 px, nothing moves, and 200 % zoom loses nothing',
    async ({ page }) => {
      const faults: string[] = [];
      await openPage(page, '/console/');
      for (const address of addresses()) {
        await page.setViewportSize(WIDE);
        await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
        await turnTo(page, address);
        const shown = await shownTestIds(page);
        const found = [...(await axeFaults(page)), ...(await headingFaults(page)), ...(await movementsOf(page))];
        found.push(...(await brokenWords(page)));
        await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
        found.push(...(await axeFaults(page, ['color-contrast'])));
        await page.setViewportSize(NARROW);
        found.push(...(await axeFaults(page)), ...(await sidewaysOf(page)), ...(await brokenWords(page)));
        await page.setViewportSize(ZOOMED);
        await page.getByRole('button', { name: 'Menu' }).click();
        const left = new Set(await shownTestIds(page));
        const lost = new Set(shown.filter((id) => !left.has(id)));
        found.push(...(await sidewaysOf(page)), ...[...lost].map((id) => `200 % zoom hides ${id}`));
        faults.push(...found.map((fault) => `${address}: ${fault}`));
      }
      expect(faults).toEqual([]);
    },
  );

  inPage('The pages with a key open by `g` and that key, without a mouse', async ({ page }) => {
    await openPage(page, '/console/');
    for (const { key, page: name } of everyRoute()) {
      if (key === undefined) continue;
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await waitForPage(page, name, /./);
    }
  });

  inPage('A page whose chunk is still being loaded has its main part and its title', async ({ page }) => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    await page.route(/\/assets\/(?:tools|overview)-page/, async (route) => {
      await gate;
      await route.continue();
    });
    await page.goto('/console/');
    await waitForPage(page, 'overview', /loading/);
    await page.getByRole('link', { name: 'Tools' }).click();
    await waitForPage(page, 'tools', /loading/);
    expect(await headingFaults(page)).toEqual([]);
    expect(await page.locator('h1').textContent()).toBe('Tools');
    open();
    await waitForPage(page, 'tools');
  });

  inPage('The focus is visible at each stop of the keyboard, and it is never lost', async ({ page }) => {
    const faults: string[] = [];
    const walk = async (place: string) => {
      for (let stop = 0; stop < STOPS; stop++) {
        await page.keyboard.press('Tab');
        const fault = await focusFault(page);
        if (fault === 'end') break;
        if (fault !== undefined) faults.push(`${place}, stop ${stop + 1}: ${fault}`);
      }
    };
    await openPage(page, '/console/');
    await walk('the menu');
    for (const address of addresses().filter((each) => !each.includes('?tab='))) {
      await turnTo(page, address);
      // Behind it are the stops of the page itself.
      await page.locator('.skip-link').press('Enter');
      await walk(address);
    }
    expect(faults).toEqual([]);
  });
});

const STOPS = 12;

/** Why the focused element is not visibly focused; `end` behind the last stop of the page. */
const focusFault = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body) return 'end';
    const inner = focused.shadowRoot?.activeElement ?? focused;
    const isVisible = (element: Element) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
    };
    // The border of a node in a graph shows its focus by the colour.
    const sample = document.body.appendChild(document.createElement('i'));
    sample.style.color = 'var(--focus)';
    const focusColour = getComputedStyle(sample).color;
    sample.remove();
    const box = focused.querySelector(':scope > rect');
    const isNodeShown = box !== null && getComputedStyle(box).stroke === focusColour;
    // The frame of a field may show the focus of the field.
    const around = [inner, inner.parentElement, focused, focused.parentElement];
    const shown = isNodeShown || around.some((each) => each && isVisible(each));
    return shown ? undefined : `the focus is not visible on ${focused.outerHTML.slice(0, 120)}`;
  });
