import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { useStack } from '../../../test/support/start-stack.js';
import { markedString } from '../src/text/mark-text.js';
import { useConsole } from './support/console-page.js';
import { everyAddress, openPage } from './support/every-page.js';
import { HOSTILE_LIBRARY, seedHostile, type Seeded } from './support/hostile-stack.js';
import { HOSTILE_COLOUR, HOSTILE_TEXTS } from './support/hostile-texts.js';

/** Collects reports of the policy from the beginning of each document. */
const WATCH = `window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI));`;

/** Makes a hostile text of a page HTML, as a page without the text function would. */
const UNESCAPE = `new MutationObserver(() => {
  for (const text of document.querySelectorAll('bdi.hostile'))
    if (text.textContent.includes('data-hostile') && !text.dataset.seen) { text.dataset.seen = 1; text.innerHTML = decodeURIComponent(text.textContent); }
}).observe(document, { childList: true, subtree: true });`;

/** What a hostile text has achieved on the page that is open. */
async function faultsOf(page: Page, address: string): Promise<string[]> {
  const faults = await page.evaluate((colour) => {
    const found: string[] = [];
    const global = window as unknown as { hostile?: unknown; violations: string[] };
    if (global.hostile !== undefined || 'hostile' in Object.prototype) found.push('a text ran');
    found.push(...global.violations.map((each) => `the policy was violated: ${each}`));
    const roots: ParentNode[] = [document];
    for (const element of document.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
    for (const root of roots) if (root.querySelector('[data-hostile]')) found.push('a text became an element');
    for (const element of document.querySelectorAll<HTMLAnchorElement>('a[href], form[action], [src]')) {
      const target = element.href || element.getAttribute('action') || element.getAttribute('src') || '';
      if (new URL(target, location.href).origin !== location.origin && !target.startsWith('blob:'))
        found.push(`a text became the address ${target.slice(0, 80)}`);
    }
    for (const element of document.querySelectorAll('main, h1, body'))
      if (getComputedStyle(element).outlineColor === colour) found.push('a text became a style');
    // Controls, and characters that turn the order of the text or that one does not see.
    // oxlint-disable-next-line no-control-regex -- the controls are what it looks for
    const raw = /[\u0000-\u0008\u001B\u007F\u009B\u202A-\u202E\u2066\u2067\u2069]/;
    const unseen =
      /\u034F|[\u115F\u1160\u3164\uFFA0]|[\u{1BCA0}-\u{1BCA3}]|[\u{1D173}-\u{1D17A}]|[\u{E0100}-\u{E01EF}]/u;
    const texts = [document.title, document.body.innerText];
    for (const element of document.querySelectorAll('[aria-label], [title]'))
      texts.push(element.getAttribute('aria-label') ?? '', element.getAttribute('title') ?? '');
    for (const text of texts) {
      const at = Math.max(text.search(raw), text.search(unseen));
      if (at !== -1)
        found.push(`a control is shown as it is: ${JSON.stringify(text.slice(Math.max(0, at - 40), at + 10))}`);
    }
    return found;
  }, HOSTILE_COLOUR);
  const { pathname } = new URL(page.url());
  const expected = new URL(address, page.url()).pathname;
  return pathname === expected ? faults : [...faults, `the page went to ${pathname}`];
}

/** The texts of the corpus that a page shows. The beginning of a text is enough, because long ones are cut. */
async function shownOn(page: Page): Promise<string[]> {
  const text = await page.evaluate(() => document.body.textContent ?? '');
  return HOSTILE_TEXTS.filter((each) => text.includes(markedString(each).slice(0, 60)));
}

/** Opens pages one after the other, and notes in `shown` the texts on them. @returns the faults with their addresses */
async function walk(page: Page, addresses: readonly string[], shown = new Set<string>()): Promise<string[]> {
  await page.addInitScript(WATCH);
  const faults: string[] = [];
  for (const address of addresses) {
    await openPage(page, address);
    faults.push(...(await faultsOf(page, address)).map((fault) => `${address}: ${fault}`));
    for (const text of await shownOn(page)) shown.add(text);
  }
  return faults;
}

describeWithBrowser('Hostile texts on every page', () => {
  const stack = useStack({ with: ['worker'], library: HOSTILE_LIBRARY, env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1' } });
  const { inPage } = useConsole(() => stack.url);
  let seeded: Seeded;
  beforeAll(async () => (seeded = await seedHostile(stack.client)));

  const addressesOf = () =>
    everyAddress({
      invocation: seeded.invocations.slice(0, 6),
      refusal: seeded.refusals,
      tool: ['hostile:say', 'workflow:hostile'],
      queue: ['invocations', 'scripts'],
      session: HOSTILE_TEXTS.slice(0, 2),
    });
  const inAddress = () =>
    HOSTILE_TEXTS.slice(0, 3).flatMap((text) => {
      const value = encodeURIComponent(text);
      return [
        `/console/invocations?session=${value}&tool=${value}&metadata=${value}&status=${value}`,
        `/console/invocations/${value}`,
        `/console/tools?q=${value}`,
        '/console/try?tool=hostile:form',
        `/console/${value}?${value}#${value}`,
      ];
    });

  it('The corpus has at least 60 texts in at least 15 places', () => {
    expect(new Set(HOSTILE_TEXTS).size).toBeGreaterThanOrEqual(60);
    expect(seeded.places).toBeGreaterThanOrEqual(15);
    expect(seeded.invocations.length).toBeGreaterThan(60);
  });

  inPage('No text runs, loads, navigates, restyles or is reported on any page', async ({ page }) => {
    const shown = new Set<string>();
    expect(await walk(page, [...addressesOf(), ...inAddress()], shown)).toEqual([]);
    expect(shown.size).toBeGreaterThan(60);
  });

  const afterLeak = { allowed: /./ };
  inPage(
    'A text that is not escaped on purpose is reported by the policy, and the walk finds it',
    async ({ page }) => {
      await page.addInitScript(UNESCAPE);
      expect(await walk(page, ['/console/unknown-<img data-hostile src=x onerror=window.hostile=1>'])).toEqual([
        expect.stringContaining('the policy was violated: require-trusted-types-for'),
      ]);
    },
    afterLeak,
  );

  inPage(
    'Without the policy the same text runs, and the walk finds it',
    async ({ page }) => {
      await page.addInitScript(UNESCAPE);
      const faults = await walk(page, ['/console/unknown-<img data-hostile src=x onerror=window.hostile=1>']);
      expect(faults).toContainEqual(expect.stringContaining('a text became an element'));
    },
    { ...afterLeak, bypassCSP: true },
  );
});
