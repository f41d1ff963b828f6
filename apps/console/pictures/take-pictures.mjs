/**
 * Writes the pictures of docs/console.md to docs/pictures: pages of the console with real data, of a stack of its own. Run `npm run build`
 * first.
 *
 *   npm run shots
 */
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { startModule, startRedis } from '../../../bench/measure.mjs';
import { findBrowser } from '../../../bootstrap/needs/chromium.mjs';
import { submitWork } from './example-work.mjs';

const { chromium } = createRequire(import.meta.url)('playwright-core');
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const FOLDER = here('../../../docs/pictures');
const APP = here('../../../bench/start-app.mjs');
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 780 };

/** The pictures: a name, an address, and what differs from a wide page in light. */
const pictures = ({ written, report }) => [
  { name: 'overview', address: '/console/' },
  { name: 'invocations', address: '/console/invocations' },
  { name: 'invocations-dark', address: '/console/invocations', colorScheme: 'dark' },
  { name: 'invocations-narrow', address: '/console/invocations', viewport: NARROW },
  { name: 'text', address: `/console/invocations/${written}?tab=text` },
  { name: 'timeline', address: `/console/invocations/${report}?tab=timeline` },
  { name: 'graph', address: `/console/invocations/${report}?tab=graph` },
  { name: 'refusals', address: '/console/refusals' },
  { name: 'try', address: '/console/try?tool=core:math' },
  { name: 'tool', address: '/console/tools/core:math' },
  { name: 'inbox', address: '/console/inbox' },
  { name: 'queues', address: '/console/queues' },
  { name: 'processes', address: '/console/processes' },
  { name: 'session', address: '/console/sessions/order-1042' },
];

async function take(browser, url, { name, address, viewport = WIDE, colorScheme = 'light' }) {
  const context = await browser.newContext({ baseURL: url, viewport, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(address);
  await page.locator('main[data-page]:not([data-page="start"]):not([data-state="loading"])').waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .skeleton') === null);
  const state = await page.locator('main').getAttribute('data-state');
  if (state === 'error') process.exitCode = 1;
  else await page.screenshot({ path: `${FOLDER}/${name}.png` });
  console.log(`${state === 'error' ? 'not taken' : `docs/pictures/${name}.png`}  ${address}  ${state}`);
  await context.close();
}

const started = [];
const keep = (one) => (started.push(one), one);

async function startStack() {
  const redis = keep(await startRedis());
  const env = {
    ERRAND_PORT: '0',
    ERRAND_LOG_LEVEL: 'error',
    ERRAND_REDIS_URL: redis.url,
    ERRAND_LIBRARY: here('../../../examples'),
  };
  const { ready } = keep(await startModule(APP, { ...env, APP: 'api' }));
  keep(await startModule(APP, { ...env, APP: 'worker' }));
  return ready;
}

const executablePath = findBrowser();
if (!executablePath) throw new Error('npm run shots needs a Chromium: run `apt-get install chromium`');
try {
  mkdirSync(FOLDER, { recursive: true });
  const url = await startStack();
  const ids = await submitWork(url);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  keep({ stop: () => browser.close() });
  for (const picture of pictures(ids)) await take(browser, url, picture);
} finally {
  for (const one of started.toReversed()) await one.stop();
}
