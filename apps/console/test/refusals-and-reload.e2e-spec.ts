import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Refusal, RefusalSummary } from '@errand/contracts';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import type { Client } from '../../../test/support/client.js';
import { eventually } from '../../../test/support/eventually.js';
import { GATE } from '../../../test/support/gate-library.js';
import { freePort } from '../../../test/support/start-redis.js';
import { useStack } from '../../../test/support/start-stack.js';
import { WebhookReceiver } from '../../../test/support/webhook-receiver.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';
import { FORM_LIBRARY } from './support/form-library.js';

const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
const REFUSED = { text: '<ACTION><core:ecko/></ACTION>' };
const MANY = 120;

/** Submits texts that are refused, and waits until all of them are kept. */
async function refuse(client: Client, session: string, count = 1): Promise<void> {
  const refused = async () => {
    const { body } = await client.get<{ items: RefusalSummary[] }>('/v1/refusals/summary?by=code');
    return body.items[0]?.refused ?? 0;
  };
  const before = await refused();
  for (let n = 0; n < count; n++) await client.post('/v1/invocations', { ...REFUSED, session });
  await eventually(async () => (await refused()) === before + count, `${count} refusals are kept`);
}

/** Opens a page, and waits until it hears of changes. */
async function openLive(page: Page, path: string, name: string): Promise<void> {
  const stream = page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/events');
  await page.goto(path);
  await waitForPage(page, name);
  await stream;
}

const showsPart = (page: Page, number: number) =>
  page.locator(`[data-testid="parts"][data-at="part"][data-part="${number}"]`).waitFor();

describeWithBrowser('The refusals of the console', () => {
  const stack = useStack({ with: ['worker'], library: FORM_LIBRARY });
  const { inPage } = useConsole(() => stack.url);
  const { client } = stack;
  beforeAll(() => refuse(client, 'many', MANY));

  inPage('Each refusal is in exactly one part of the list', async ({ page }) => {
    await page.goto('/console/refusals?session=many');
    const seen: string[] = [];
    for (const [part, size] of [50, 50, MANY - 100].entries()) {
      await showsPart(page, part + 1);
      const ids = await byTestId(page, 'refusal').evaluateAll((all) =>
        all.map((each) => each.getAttribute('data-id') ?? ''),
      );
      expect(ids).toHaveLength(size);
      seen.push(...ids);
      if (part < 2) await byTestId(page, 'next-part').click();
    }
    expect(new Set(seen).size).toBe(MANY);
    expect(await byTestId(page, 'next-part').getAttribute('aria-disabled')).toBe('true');
  });

  inPage('A refused text is plain until the ends of its errors are known, or cannot be known', async ({ page }) => {
    const { body } = await client.get<{ items: Refusal[] }>('/v1/refusals?session=many&limit=1');
    const [source, mark] = [byTestId(page, 'source'), byTestId(page, 'source-mark')];
    const parses: (() => void)[] = [];
    await page.route('**/v1/parse', async (route) => {
      await new Promise<void>((goOn) => parses.push(goOn));
      await route.continue();
    });
    await page.goto(`/console/refusals/${body.items[0]?.id}`);
    await source.waitFor();
    await eventually(() => parses.length === 1, 'the text is sent');
    expect(await source.textContent()).toBe(REFUSED.text);
    expect(await mark.count()).toBe(0);
    parses[0]?.();
    await mark.waitFor();
    expect(await mark.textContent()).toBe('<core:ecko/>');
    await page.route('**/v1/parse', (route) => route.fulfill({ status: 403, json: {} }));
    await page.reload();
    await mark.waitFor();
    expect((await mark.textContent())?.length).toBe(1);
  });

  inPage('A new refusal does not erase what one types into a filter', async ({ page }) => {
    await openLive(page, '/console/refusals?part=2', 'refusals');
    const filter = byTestId(page, 'filter-session');
    await filter.pressSequentially('fre');
    await refuse(client, 'fresh');
    await byTestId(page, 'new-rows').waitFor();
    expect(await filter.inputValue()).toBe('fre');
    await filter.pressSequentially('sh');
    await filter.press('Enter');
    await page.waitForURL(({ searchParams }) => searchParams.get('session') === 'fresh' && !searchParams.has('part'));
    await eventually(async () => (await byTestId(page, 'refusal').count()) === 1, 'the list is filtered');
  });

  inPage('A filter, its removal and a key of the summary lead to the first part of the list', async ({ page }) => {
    const open = async (query: string) => {
      await page.goto(`/console/refusals?${query}`);
      await showsPart(page, 2);
    };
    const leads = (name: string, value: string | null) =>
      page.waitForURL(({ searchParams }) => searchParams.get(name) === value && !searchParams.has('part'));
    await open('part=2');
    await byTestId(page, 'filter-code').selectOption('unknown_tool');
    await leads('code', 'unknown_tool');
    await open('session=many&part=2');
    await byTestId(page, 'clear-filters').click();
    await leads('session', null);
    await open('by=code&part=2');
    await byTestId(page, 'summary-row').getByRole('button').first().click();
    await leads('code', 'unknown_tool');
    await open('part=2');
    await byTestId(page, 'filter-from').fill('2020-01-02T03:04');
    await page.waitForURL(({ searchParams }) => searchParams.has('from') && !searchParams.has('part'));
    expect(await byTestId(page, 'filter-from').inputValue()).toBe('2020-01-02T03:04');
  });

  inPage('A new question does not erase what one types into a filter of the inbox', async ({ page }) => {
    await openLive(page, '/console/inbox?part=3', 'inbox');
    const filter = byTestId(page, 'filter-tool');
    await filter.pressSequentially('desk:other');
    const id = await client.submit({ toolId: 'desk:free', arguments: {} });
    await page.locator(`[data-testid="inbox-item"][data-invocation="${id}"]`).waitFor();
    expect(await filter.inputValue()).toBe('desk:other');
    await filter.press('Enter');
    await page.waitForURL(({ searchParams }) => searchParams.has('toolId') && !searchParams.has('part'));
    await byTestId(page, 'empty').waitFor();
    await client.cancel(id);
  });
});

describeWithBrowser('A page of the console that reads again', () => {
  const stack = useStack({ with: ['worker'], library: GATE, env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1' } });
  const { inPage } = useConsole(() => stack.url);
  const { client } = stack;
  /** Submits a call that runs until `end` is called. */
  const hold = async (name: string, session: string) => {
    const open = join(stack.folder, name);
    const id = await client.submit({ toolId: 'gate:hold', arguments: { open }, session });
    return { id, end: () => writeFileSync(open, '') };
  };

  inPage('A session shows its changes by itself, with about one request a second', async ({ page }) => {
    const held = await hold('session', 'live');
    await openLive(page, '/console/sessions/live', 'session');
    let requests = 0;
    page.on('request', (request) => request.url().includes('/v1/') && requests++);
    const begun = Date.now();
    const entry = (id: string, status: string) =>
      page.locator(`[data-testid="session-invocation"][data-id="${id}"][data-status="${status}"]`).waitFor();
    await entry(held.id, 'running');
    await refuse(client, 'live');
    await byTestId(page, 'session-refusal').waitFor();
    held.end();
    await entry(held.id, 'succeeded');
    const items = Array.from({ length: 100 }, () => ({ ...ECHO, session: 'live' }));
    for (let round = 0; round < 10; round++) await client.post('/v1/invocations/batch', { items });
    const { id } = await client.invoke({ ...ECHO, session: 'live' });
    await entry(id, 'succeeded');
    // The three lists are read at once at the first change, and once for what the page may have missed at its beginning.
    expect(requests).toBeLessThanOrEqual((Date.now() - begun) / 1_000 + 6);
  });

  inPage('A busy invocation shows its progress although each answer comes late', async ({ page }) => {
    const calls = Array.from({ length: 300 }, () => ({ toolId: 'core:delay', arguments: { ms: 100 } }));
    const id = await client.submit({ calls, options: { mode: 'sequence' } });
    await page.route(new RegExp(`/v1/invocations/${id}(/timeline)?$`), async (route) => {
      await delay(900);
      await route.continue().catch(() => undefined);
    });
    await page.goto(`/console/invocations/${id}`);
    await page.waitForFunction(() => {
      const has = (selector: string) => document.querySelector(selector) !== null;
      return has('[data-testid=status][data-status=running]') && has('[data-testid=step][data-status=succeeded]');
    });
    await client.cancel(id);
  });

  inPage('The tab of the text shows the observation at the end although a wait has failed', async ({ page }) => {
    const held = await hold('text', 'text');
    const isWait = (url: URL) => url.pathname === `/v1/invocations/${held.id}` && url.searchParams.has('wait');
    await page.route(isWait, (route) => route.abort(), { times: 1 });
    const failure = page.waitForEvent('requestfailed', (request) => isWait(new URL(request.url())));
    await page.goto(`/console/invocations/${held.id}?tab=text`);
    await failure;
    const observation = byTestId(page, 'observation');
    await observation.filter({ hasText: 'has not ended' }).waitFor();
    held.end();
    await observation.filter({ hasText: 'done' }).waitFor();
  });

  inPage('The tab of the deliveries shows what came of a callback that was sent again', async ({ page }) => {
    const answers: (() => void)[] = [];
    const receiver = await WebhookReceiver.start((_, response) => void answers.push(() => response.end()));
    stack.keep({ close: () => receiver.stop() });
    const { id } = await client.invoke({ ...ECHO, callback: { url: receiver.url } });
    await page.goto(`/console/invocations/${id}?tab=deliveries`);
    const delivery = (status: string) => page.locator(`[data-testid="delivery"][data-status="${status}"]`);
    for (const count of [1, 2]) {
      await delivery('pending').waitFor();
      await receiver.until(count);
      answers.pop()?.();
      await delivery('delivered')
        .nth(count - 1)
        .waitFor();
      if (count === 1) await byTestId(page, 'redeliver').click();
    }
  });
});

describeWithBrowser('A list of the console of an API that goes and comes back', () => {
  const stack = useStack();
  let address = '';
  const { inPage } = useConsole(() => address);
  let api: ChildProcess;
  const startApi = async () => {
    api = await stack.processes.start('api', { ERRAND_PORT: new URL(address).port });
  };
  beforeEach(async () => {
    address = `http://127.0.0.1:${await freePort()}`;
    await startApi();
  });

  inPage('After an outage, the list has what came meanwhile, and nobody reloads', async ({ page }) => {
    await openLive(page, '/console/refusals', 'refusals');
    await stack.processes.end(api);
    await waitForPage(page, 'refusals', /^stale$/);
    // The other API of the stack goes on.
    await refuse(stack.client, 'outage');
    await startApi();
    await byTestId(page, 'refusal').waitFor();
    await waitForPage(page, 'refusals', /^ready$/);
  });
});
