import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe reports of a rule. */
interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

/** The serious and critical faults that axe finds on a page, as texts. */
export async function axeFaults(page: Page): Promise<string[]> {
  const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  // By the DevTools protocol: the policy of the page allows no inline script.
  await page.evaluate(source);
  const found = await page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as {
      axe: { run: (where: Document, options: object) => Promise<{ violations: Violation[] }> };
    };
    const { violations } = await axe.run(document, { runOnly: { type: 'tag', values: tags } });
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.map(({ html, failureSummary = '' }) => ({ html, failureSummary })),
    }));
  }, TAGS);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** The looks in which a page must have no fault: both schemes, and a narrow page. */
export const LOOKS = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'narrow', colorScheme: 'light', width: 320 },
] as const;

/** Runs `look` in each look of the page. */
export async function inEachLook(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const { name, colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await look(name);
  }
}

/** How far a page can be scrolled sideways, in pixels. A page that fits has 0. */
export function sidewaysOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
