import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { Client } from '../../../test/support/client.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';

const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
const isFeed = (url: string) => new URL(url).pathname === '/v1/events';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const hasState = (page: Page, state: string) =>
  page.locator(`[data-testid="live-state"][data-state="${state}"]`).waitFor();

describeWithBrowser('The stream of the console', () => {
  const stack = useStack({ with: ['worker'] });
  const { inPage } = useConsole(() => stack.url);
  const { client } = stack;

  inPage('Eight tabs are live at once by one stream, and the next tab takes over', async ({ page, context }) => {
    const streams: string[] = [];
    context.on('request', (request) => isFeed(request.url()) && streams.push(request.url()));
    await client.invoke({ ...ECHO, session: 'tabs' });
    const tabs = [page, ...(await Promise.all(Array.from({ length: 7 }, () => context.newPage())))];
    for (const tab of tabs) {
      await tab.goto('/console/invocations?session=tabs');
      await waitForPage(tab, 'invocations');
    }
    await client.submit({ ...ECHO, session: 'tabs' });
    for (const tab of tabs) await byTestId(tab, 'new-rows').filter({ hasText: '1 new' }).waitFor();
    expect(streams).toHaveLength(1);
    await page.close();
    await client.submit({ ...ECHO, session: 'tabs' });
    for (const tab of tabs.slice(1)) await byTestId(tab, 'new-rows').filter({ hasText: '2 new' }).waitFor();
    expect(streams).toHaveLength(2);
  });

  inPage('1,000 changes cost no request', async ({ page }) => {
    await client.invoke({ ...ECHO, session: 'flood' });
    await page.goto('/console/invocations?session=flood');
    await waitForPage(page, 'invocations');
    await hasState(page, 'live');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const items = Array.from({ length: 50 }, () => ({ ...ECHO, session: 'flood' }));
    for (let round = 0; round < 20; round++) await client.post('/v1/invocations/batch', { items });
    const last = await client.submit({ ...ECHO, session: 'flood' });
    await client.untilEnded(last);
    await eventually(async () => /^[1-9]/.test((await byTestId(page, 'new-rows').textContent()) ?? ''), 'new rows');
    const marker = await client.submit({ toolId: 'core:delay', arguments: { ms: 1, value: 1 }, session: 'flood' });
    await client.untilEnded(marker);
    await hasState(page, 'live');
    // On a busy machine the feed can leave changes out. The page then reads the rows in view, once for each gap.
    const catchUps = requests.filter((url) => url.includes('view=row&ids='));
    expect(requests.filter((url) => !catchUps.includes(url))).toEqual([]);
    expect(catchUps.length).toBeLessThan(5);
  });
});

describeWithBrowser('The console of an API that goes and comes back', () => {
  const stack = useStack();
  let address = '';
  let api: ChildProcess;
  let port: number;
  const { inPage } = useConsole(() => address);
  const startApi = () => stack.processes.start('api', { ERRAND_PORT: String(port) });
  beforeEach(async () => {
    port = await freePort();
    address = `http://127.0.0.1:${port}`;
    api = await startApi();
  });

  inPage('An API that stands still counts as away, and its pages catch up when it goes on', async ({ page }) => {
    const other = new Client(stack.url);
    const known = await other.submit({ ...ECHO, session: 'still' });
    await page.goto('/console/invocations?session=still');
    await waitForPage(page, 'invocations');
    await hasState(page, 'live');
    api.kill('SIGSTOP');
    // The stream is silent for 15 s first, which may be longer than what a page usually takes.
    const lost = page.locator('[data-testid="live-state"][data-state="reconnecting"]');
    await lost.waitFor({ timeout: 90_000 });
    await other.cancel(known);
    api.kill('SIGCONT');
    await page.locator('[data-testid="live-state"][data-state="live"]').waitFor({ timeout: 90_000 });
    await page.locator(`[data-id="${known}"][data-status="cancelled"]`).waitFor();
  });

  inPage('The pages say that they are out of date, and catch up without a reload', async ({ page, context }) => {
    // The other API of the stack goes on.
    const other = new Client(stack.url);
    const known = await other.submit({ ...ECHO, session: 'outage' });
    await page.goto('/console/invocations?session=outage');
    await waitForPage(page, 'invocations');
    await byTestId(page, 'select-row').first().click();
    expect(await byTestId(page, 'bulk-cancel').isDisabled()).toBe(false);
    await hasState(page, 'live');
    const second = await context.newPage();
    await second.goto('/console/invocations');
    await waitForPage(second, 'invocations');
    const third = await context.newPage();
    await third.goto('/console/');
    await waitForPage(third, 'overview');
    await stack.processes.end(api);
    // This list is read for the first time while nobody answers.
    await byTestId(second, 'filter-session').fill('outage');
    await waitForPage(second, 'invocations', /^error$/);
    await hasState(page, 'reconnecting');
    await waitForPage(page, 'invocations', /^stale$/);
    expect(await page.locator('.lost-bar').textContent()).toContain('No connection to the server since');
    expect(await byTestId(page, 'bulk-cancel').isDisabled()).toBe(true);
    await other.cancel(known);
    await other.submit({ ...ECHO, session: 'outage' });
    // The file of this page is not loaded yet.
    await byTestId(third, 'nav').getByRole('link', { name: 'Sandbox' }).click();
    await byTestId(third, 'error').waitFor();
    api = await startApi();
    await hasState(page, 'live');
    await page.locator(`[data-id="${known}"][data-status="cancelled"]`).waitFor();
    await byTestId(page, 'new-rows').filter({ hasText: '1 new' }).waitFor();
    await waitForPage(page, 'invocations');
    expect(await page.locator('.lost-bar').count()).toBe(0);
    await waitForPage(second, 'invocations', /^ready$/);
    expect(await byTestId(second, 'row').count()).toBe(2);
    await waitForPage(third, 'sandbox');
  });
});
