// A headless Chromium whose requests, elements and heap are counted.
import { createRequire } from 'node:module';
import { findBrowser } from '../../bootstrap/needs/chromium.mjs';

const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core');
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--js-flags=--expose-gc'];

/** @throws an error that says what to install, if there is no browser */
export async function openBrowser() {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error('bench/console.mjs needs a Chromium: run `apt-get install chromium`');
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A page whose requests are counted from its first one on. */
export async function openCounted(browser, url, options = {}) {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const requests = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  return { page, requests, close: () => context.close() };
}

export const elementsOf = (page) => page.evaluate(() => document.querySelectorAll('*').length);

/** The used heap of the page after a collection, in bytes. */
export async function heapOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

export const testId = (name) => `[data-testid="${name}"]`;
