// A log of many lines: elements and lines in the document, and how long a search takes.
import { elementsOf, openCounted, testId } from './console-browser.mjs';

/** Opens the log, scrolls through it, and searches. */
export async function measureLog(browser, url, id, word) {
  const { page, close } = await openCounted(browser, url);
  await page.goto(`/console/invocations/${id}?tab=log`);
  await page.locator(testId('log-line')).first().waitFor();
  let [elements, lines] = [0, 0];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    await page.locator(testId('log')).evaluate((log, at) => {
      const scrolled = [log, ...log.querySelectorAll('*')].find(
        ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 50,
      );
      scrolled?.scrollTo(0, scrolled.scrollHeight * at);
    }, share);
    await page.waitForTimeout(100);
    elements = Math.max(elements, await elementsOf(page));
    lines = Math.max(lines, await page.locator(testId('log-line')).count());
  }
  const begun = performance.now();
  await page.locator(testId('log-search')).fill(word);
  await page.locator(testId('log-count')).filter({ hasText: /[1-9]/ }).waitFor();
  const searchMs = performance.now() - begun;
  await close();
  return { elements, lines, searchMs };
}
