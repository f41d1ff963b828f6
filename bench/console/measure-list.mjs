// The list of invocations: requests, elements and heap while a reader scrolls, and requests while rows change.
import { elementsOf, heapOf, openCounted, testId } from './console-browser.mjs';

const LIST = '/console/invocations';
const ROWS = testId('rows');

/** Opens the list, and waits until it shows rows. @returns the number of requests and elements */
export async function measureFirstRows(browser, url) {
  const { page, requests, close } = await openCounted(browser, url);
  await page.goto(LIST);
  await page.locator(testId('row')).first().waitFor();
  const result = { requests: requests.length, elements: await elementsOf(page) };
  await close();
  return result;
}

/**
 * Scrolls through `pages` pages of the list.
 * @returns the largest number of elements, the heap at the end over the heap after the first page, and the pages that were read twice
 */
export async function measureScrolling(browser, url, pages) {
  const { page, requests, close } = await openCounted(browser, url);
  const queries = [];
  page.on('request', (request) => {
    if (/\/v1\/invocations\?.*cursor=/.test(request.url())) queries.push(request.url());
  });
  await page.goto(LIST);
  await page.locator(testId('row')).first().waitFor();
  const before = await heapOf(page);
  let elements = 0;
  while (queries.length < pages && (await scrollToNextPage(page, queries)))
    elements = Math.max(elements, await elementsOf(page));
  const heap = (await heapOf(page)) / before;
  await close();
  return {
    elements,
    heap,
    pages: queries.length,
    twice: queries.length - new Set(queries).size,
    requests: requests.length,
  };
}

/** @returns whether there was another page */
async function scrollToNextPage(page, queries) {
  const read = queries.length;
  const isLast = () =>
    page.locator(ROWS).evaluate((rows) => {
      const places = [...rows.querySelectorAll('[role="row"]')].map((row) => row.getAttribute('aria-rowindex'));
      return places.includes(rows.getAttribute('aria-rowcount'));
    });
  while (queries.length === read) {
    // Rows that came since have moved the end.
    await page.locator(ROWS).evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
    if (await isLast()) return false;
    await page.waitForTimeout(10);
  }
  return true;
}

/** Changes rows that are shown. @param change changes the number of invocations that it names; resolves when all have ended */
export async function measureChanges(browser, url, change) {
  const { page, requests, close } = await openCounted(browser, url);
  await page.goto(LIST);
  await page.locator(testId('row')).first().waitFor();
  await page.locator(`${testId('live-state')}[data-state="live"]`).waitFor();
  const before = requests.length;
  await change();
  // The last change is always sent: the list then offers what is new.
  await page.locator(testId('new-rows')).waitFor();
  const result = { requests: requests.length - before };
  await close();
  return result;
}
