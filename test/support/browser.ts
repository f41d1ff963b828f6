import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { inPatience } from './eventually.js';

/** The first one has no windows. It needs a third less processor time for a page. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** What every Chromium of the tests gets. */
export const BROWSER_FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  // Each document lives for seconds. V8 would spend more time on optimized code than the code saves, most of all in axe.
  '--js-flags=--no-maglev --no-turbofan',
  // Without a limit, the first page of a profile takes a second process, because a page with an opener policy leaves that of about:blank.
  '--renderer-process-limit=1',
  // One process less. It saves a twentieth of the processor time of a browser.
  '--enable-features=NetworkServiceInProcess2',
];
const FLAGS = [
  ...BROWSER_FLAGS,
  '--headless=new',
  '--no-first-run',
  '--remote-debugging-pipe',
  '--window-size=1400,1000',
];

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** The path of a Chromium on the PATH, or undefined. */
export function findBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A block of tests that need a browser. Without one they are skipped, with the reason. */
export function describeWithBrowser(title: string, tests: () => void): void {
  if (findBrowser() !== undefined) return describe(title, tests);
  process.stderr.write(`Skipped, because no Chromium is on the PATH (apt-get install chromium): ${title}\n`);
  describe.skip(`${title} (skipped: no Chromium is on the PATH)`, tests);
}

/** One page of a headless Chromium with a profile of its own. It speaks the DevTools protocol over a pipe. */
export class BrowserPage {
  /** Every address that the page has requested, also those that a policy has blocked. */
  readonly requests: string[] = [];
  /** Errors of the page and of its console. */
  readonly errors: string[] = [];
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly ended: Promise<unknown>;
  private session: string | undefined;
  private lastId = 0;

  private constructor(
    private readonly browser: ChildProcess,
    private readonly profile: string,
  ) {
    this.ended = once(browser, 'exit');
    // A request to an ended browser fails by `ended`, not by its pipe.
    (browser.stdio[3] as Writable).on('error', () => {});
    let rest = '';
    (browser.stdio[4] as Readable).setEncoding('utf8').on('data', (chunk: string) => {
      const messages = (rest + chunk).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages) this.receive(JSON.parse(message) as Message);
    });
  }

  static async open(): Promise<BrowserPage> {
    const program = findBrowser();
    if (program === undefined) throw new Error('no Chromium is on the PATH: apt-get install chromium');
    const profile = await mkdtemp(join(tmpdir(), 'errand-browser-'));
    const args = [...FLAGS, `--user-data-dir=${profile}`];
    const page = new BrowserPage(
      spawn(program, args, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] }),
      profile,
    );
    const { targetId } = await page.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await page.send('Target.attachToTarget', { targetId, flatten: true });
    page.session = sessionId as string;
    for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await page.send(`${domain}.enable`);
    return page;
  }

  async goTo(url: string): Promise<void> {
    await this.send('Page.navigate', { url });
  }

  /** The value of an expression in the page. */
  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    return (result as { value?: unknown }).value;
  }

  /** The visible text of the page. */
  async text(): Promise<string> {
    const text = await this.evaluate('document.body?.innerText');
    return typeof text === 'string' ? text : '';
  }

  /** Writes a PNG. */
  async screenshot(file: string): Promise<void> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(file, Buffer.from(data as string, 'base64'));
  }

  async close(): Promise<void> {
    const { pid, exitCode, signalCode } = this.browser;
    // The group, because the program can be a script that has started the browser. By a signal, because the browser
    // does not always answer Browser.close, and nothing of its profile is kept.
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
    await this.ended;
    await rm(this.profile, { recursive: true, force: true, maxRetries: 10 });
  }

  private send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.lastId;
    const session = this.session === undefined ? {} : { sessionId: this.session };
    const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
      this.waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result ?? {})));
    });
    (this.browser.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    const ended = this.ended.then(() => Promise.reject(new Error(`Chromium ended before it answered ${method}`)));
    return inPatience(Promise.race([answered, ended]), () => `Chromium answers ${method}`);
  }

  private receive(message: Message): void {
    const { id, method, params } = message;
    if (id !== undefined) this.waiting.get(id)?.(message);
    if (method === 'Network.requestWillBeSent')
      this.requests.push((params as { request: { url: string } }).request.url);
    if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded') this.errors.push(JSON.stringify(params));
  }
}
