import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PATIENCE_MS } from '../../../../test/support/eventually.js';

/** Ids of things that exist, by the name of the page that shows one. */
export type Ids = Readonly<Record<string, readonly string[]>>;

const ROUTES = readFileSync(join(__dirname, '../../src/routes.ts'), 'utf8');
/** The tabs of an invocation, in the order of the page. */
const TABS = ['timeline', 'graph', 'log', 'text', 'rounds', 'result', 'deliveries', 'effects', 'raw'];

/** The entries of the table of routes. The table itself imports style sheets, which only a bundler can read. */
export function everyRoute(): { path: string; page: string; key: string | undefined }[] {
  return ROUTES.split(/\{\s*path: /).flatMap((entry) => {
    const [, path, page] = /^'(\/console[^']*)',\s*page: '([\w-]+)'/.exec(entry) ?? [];
    const key = /\bkey: '(\w)'/.exec(entry)?.[1];
    return path === undefined || page === undefined
      ? []
      : [{ path, page, key: /component:/.test(entry) ? key : undefined }];
  });
}

/**
 * Every address that a walk opens: each page, the tabs of the first invocation, and addresses that lead to nothing.
 * @param ids by the name of a page: what the parameter of its path stands for
 */
export function everyAddress(ids: Ids): string[] {
  const addresses = everyRoute().flatMap(({ path, page }) => {
    if (!path.includes('/:')) return [path === '/console' ? '/console/' : path];
    const opened = (ids[page] ?? []).map((id) => path.replace(/:\w+/, encodeURIComponent(id)));
    const tabs = page === 'invocation' ? TABS.map((tab) => `${opened[0]}?tab=${tab}`) : [];
    return [...tabs, ...opened.slice(tabs.length > 0 ? 1 : 0), path.replace(/:\w+/, 'unknown')];
  });
  return [...new Set([...addresses, '/console/unknown'])];
}

/** Opens an address, and waits until its page has read what it shows. */
export async function openPage(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await untilRead(page);
}

const NOWHERE = '/console/unknown';

/**
 * Shows an address in the open document, as a link does, and waits until its page has read what it shows. It passes through an address that
 * leads to nothing, so that each page begins anew, and what is shown before does not count as the page.
 */
export async function turnTo(page: Page, address: string): Promise<void> {
  for (const target of [NOWHERE, address]) {
    await page.evaluate((url) => {
      history.pushState(null, '', url);
      dispatchEvent(new PopStateEvent('popstate'));
    }, target);
    await untilRead(page, target === NOWHERE);
  }
}

/** Waits until a page has read what it shows. @param isNowhere whether it is the page of an unknown address; default: any page */
async function untilRead(page: Page, isNowhere?: boolean): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const [main, ...others] = document.querySelectorAll<HTMLElement>('main');
      if (main === undefined || others.length > 0 || main.dataset['page'] === 'start') return false;
      const isWanted = wanted === undefined || (main.dataset['page'] === 'not-found') === wanted;
      const isReading =
        main.dataset['state'] === 'loading' || document.querySelector('[aria-busy="true"], .skeleton') !== null;
      return isWanted && !isReading;
    },
    isNowhere,
    { timeout: PATIENCE_MS },
  );
}
