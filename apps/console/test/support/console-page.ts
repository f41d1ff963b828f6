import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { BROWSER_FLAGS, findBrowser } from '../../../../test/support/browser.js';
import { PATIENCE_MS } from '../../../../test/support/eventually.js';

const ROOT = join(__dirname, '../../../..');
/** Where the picture and the trace of a failed test are kept. */
const FAILURES = join(ROOT, '.errand/console-failures');
/** How long an action of the browser may take, in ms. A smaller value shows a failure sooner. */
const WAIT_MS = Number(process.env['CONSOLE_WAIT_MS'] ?? PATIENCE_MS);
/** Traces take a tenth of the CPU time of these tests. */
const TRACES = process.env['CONSOLE_TRACE'] === 'true';

/** What no page may do: break its policy, ask another origin, or report an error that is no failed request. */
export interface Offences {
  list: string[];
}

export interface ConsoleTest {
  page: Page;
  context: BrowserContext;
  offences: Offences;
}

interface Options extends BrowserContextOptions {
  /** The test provokes such messages itself. */
  allowed?: RegExp;
}

/** A headless Chromium for the tests of the surrounding block. Each test of `test` has a profile of its own. */
export function useConsole(url: () => string) {
  let browser: Browser;
  beforeAll(async () => {
    if (!existsSync(join(ROOT, 'dist/apps/console/index.html')))
      throw new Error('The console is not built: run `npm run build`');
    browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: [...BROWSER_FLAGS] });
  });
  afterAll(() => browser?.close());

  /** A test in a page of its own. It fails if the page commits an offence. A failure leaves a picture. */
  const inPage = (title: string, run: (parts: ConsoleTest) => Promise<void>, { allowed, ...options }: Options = {}) =>
    it(title, async () => {
      const context = await browser.newContext({ baseURL: url(), viewport: { width: 1280, height: 900 }, ...options });
      context.setDefaultTimeout(WAIT_MS);
      const offences = watchOffences(context, url(), allowed);
      if (TRACES) await context.tracing.start({ snapshots: true });
      const page = await context.newPage();
      try {
        await run({ page, context, offences });
        expect(offences.list).toEqual([]);
        // This removes the folder of the trace. A test may have closed its context.
        if (TRACES) await context.tracing.stop().catch(() => undefined);
      } catch (error) {
        await keepFailure(title, page, context);
        throw error;
      } finally {
        await context.close();
      }
    });

  return {
    inPage,
    openContext: (options: BrowserContextOptions = {}) => browser.newContext({ baseURL: url(), ...options }),
  };
}

/** The element with a test id. */
export const byTestId = (page: Page, id: string) => page.locator(`[data-testid="${id}"]`);

/** Waits until a page shows its data, or one of the other states. */
export async function waitForPage(page: Page, name: string, state = /^(?:ready|empty)$/): Promise<void> {
  await page.waitForFunction(
    ([wanted, pattern]) => {
      const main = document.querySelector('main');
      return main?.dataset['page'] === wanted && new RegExp(pattern ?? '').test(main.dataset['state'] ?? '');
    },
    [name, state.source] as const,
  );
}

/** Logs in with a key, from any page of the console. */
export async function logIn(page: Page, key: string): Promise<void> {
  await byTestId(page, 'login-key').fill(key);
  await byTestId(page, 'login-submit').click();
  await byTestId(page, 'login-form').waitFor({ state: 'detached' });
}

function watchOffences(context: BrowserContext, url: string, allowed: RegExp | undefined): Offences {
  const list: string[] = [];
  const add = (offence: string) => {
    if (!allowed?.test(offence)) list.push(offence);
  };
  context.on('console', (message) => {
    const isFailedRequest = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isFailedRequest) add(message.text());
  });
  context.on('weberror', (error) => add(String(error.error())));
  context.on('dialog', (dialog) => {
    add(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && protocol !== 'data:' && protocol !== 'blob:') add(`request to ${request.url()}`);
  });
  return { list };
}

async function keepFailure(title: string, page: Page, context: BrowserContext): Promise<void> {
  const folder = join(FAILURES, title.replaceAll(/[^\w]+/g, '-').slice(0, 80));
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, 'page.png') }).catch(() => undefined);
  if (TRACES) await context.tracing.stop({ path: join(folder, 'trace.zip') }).catch(() => undefined);
  const hint = TRACES ? 'with its trace' : 'run it with CONSOLE_TRACE=true for a trace';
  process.stderr.write(`A picture of the failure is in ${folder}; ${hint}\n`);
}
