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
  await page.waitForFunction(
    () => {
      const main = document.querySelector('main');
      const isStarted = main !== null && main.dataset['page'] !== 'start' && main.dataset['state'] !== 'loading';
      return isStarted && document.querySelector('[aria-busy="true"]') === null;
    },
    undefined,
    { timeout: PATIENCE_MS },
  );
}
