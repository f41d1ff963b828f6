import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** A fault has the impact of its rule. */
const GRAVE = ['serious', 'critical'];

/** A rule with the data that `getRules` leaves out. */
interface Rule {
  id: string;
  impact: string;
  tags: string[];
}

/**
 * The rules whose faults are grave. axe spends a quarter of its time on the other ones. Experimental and deprecated rules only run by
 * their names.
 */
// oxlint-disable-next-line no-underscore-dangle -- axe has no other list with the impacts
const RULES = (require('axe-core') as { _audit: { rules: Rule[] } })._audit.rules
  .filter(({ impact }) => GRAVE.includes(impact))
  .filter(({ tags }) => tags.some((tag) => TAGS.includes(tag)))
  .filter(({ tags }) => !tags.includes('experimental') && !tags.includes('deprecated'))
  .map(({ id }) => id);

type Axe = typeof import('axe-core');

/** The serious and critical faults that axe finds on a page by these rules, as texts with each element. */
export async function axeFaults(page: Page, rules: readonly string[] = RULES): Promise<string[]> {
  // By the DevTools protocol: the policy of the page allows no inline script.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  const violations = await page.evaluate(
    async (values): Promise<AxeResults['violations']> => {
      const { axe } = globalThis as unknown as { axe: Axe };
      const runOnly = { type: 'rule' as const, values };
      return (await axe.run(document, { runOnly, resultTypes: ['violations'] })).violations;
    },
    [...rules],
  );
  return violations
    .filter(({ impact }) => GRAVE.includes(impact ?? ''))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary.replaceAll(/\s+/g, ' ')}`),
    );
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
