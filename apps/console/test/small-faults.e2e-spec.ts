import { readFileSync } from 'node:fs';
import type { JobLeft, ShownProcess } from '@errand/contracts';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, logIn, useConsole, waitForPage } from './support/console-page.js';
import { FORM_LIBRARY } from './support/form-library.js';

const KEY = 'the-key-of-the-operator-1234567890';
const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };

const processOf = (id: string, state: ShownProcess['state'], left: JobLeft[] = []): ShownProcess => {
  const at = new Date().toISOString();
  const own = { queues: ['invocations'], labels: [], slots: 1, inHand: [], host: 'h', version: '1', left };
  return {
    id,
    kind: 'worker',
    state,
    startedAt: at,
    lastSeenAt: at,
    load: { rssMb: 1, cpu: 0, eventLoopLagMs: 0 },
    ...own,
  };
};

describeWithBrowser('Small parts of the console', () => {
  const stack = useStack({ with: ['worker'], examples: true });
  const { inPage } = useConsole(() => stack.url);
  const { client } = stack;

  inPage('An export has the chosen row that the list does not hold any more', async ({ page }) => {
    const call = { ...ECHO, session: 'export', metadata: { team: 'a' }, options: { delayMs: 86_400_000 } };
    const items = Array.from({ length: 350 }, () => call);
    const { body } = await client.post<{ items: { id: string }[] }>('/v1/invocations/batch', { items });
    const [oldest = ''] = body.items.map(({ id }) => id).toSorted();
    await page.goto('/console/invocations?session=export&metadata.team=a');
    await waitForPage(page, 'invocations');
    const row = page.locator(`[data-testid="row"][data-id="${oldest}"]`);
    await eventually(async () => {
      await byTestId(page, 'rows').evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
      return (await row.count()) > 0;
    }, 'the oldest row is shown');
    await row.locator('[data-testid="select-row"]').click();
    // A row does not tell its metadata, so that new ones are read with a new first page.
    const id = await client.submit(call);
    await byTestId(page, 'new-rows').click();
    await page.locator(`[data-testid="row"][data-id="${id}"]`).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.waitForRequest((request) => request.url().includes(`ids=${oldest}`)),
      byTestId(page, 'export-csv').click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines.map((line) => line.split(',')[0])).toEqual(['id', oldest]);
    await byTestId(page, 'toast').filter({ hasText: 'The file has 1 row' }).waitFor();
  });

  inPage('Views that are saved and removed in two tabs are in both', async ({ page, context }) => {
    const other = await context.newPage();
    const names = (tab: Page) => byTestId(tab, 'view-link').allTextContents();
    const become = (tab: Page, wanted: string) => eventually(async () => (await names(tab)).join() === wanted, wanted);
    const save = async (tab: Page, name: string) => {
      await byTestId(tab, 'save-view').click();
      await byTestId(tab, 'view-name').fill(name);
      await byTestId(tab, 'view-confirm').click();
    };
    for (const tab of [page, other]) {
      await tab.goto('/console/invocations?session=views');
      await waitForPage(tab, 'invocations');
    }
    await save(page, 'first');
    await become(other, 'first');
    await save(other, 'second');
    await become(page, 'first,second');
    await page.getByRole('button', { name: 'Remove the view first' }).click();
    await become(other, 'second');
    await become(page, 'second');
  });

  inPage('A letter that is typed while the address changes stays in the search of the tools', async ({ page }) => {
    await page.goto('/console/tools');
    await waitForPage(page, 'tools');
    await page.evaluate(() => {
      const replace = history.replaceState.bind(history);
      history.replaceState = (...given: Parameters<History['replaceState']>) => {
        replace(...given);
        history.replaceState = replace;
        const box = document.querySelector<HTMLInputElement>('input[type=search]')!;
        box.value += 'ho';
        box.dispatchEvent(new Event('input', { bubbles: true }));
      };
    });
    await page.getByRole('searchbox').fill('core:ec');
    await page.waitForURL((url) => url.searchParams.get('q') === 'core:echo');
    expect(await page.getByRole('searchbox').inputValue()).toBe('core:echo');
    await page.locator('[data-testid="tool-row"][data-id="core:echo"]').waitFor();
  });

  inPage('Back shows the text that was searched before in the log and in the result', async ({ page }) => {
    const { id } = await client.invoke({ toolId: 'core:echo', arguments: { value: 'word '.repeat(150_000) } });
    const search = byTestId(page, 'log-search');
    const count = byTestId(page, 'log-count');
    await page.goto(`/console/invocations/${id}?tab=log`);
    await search.waitFor();
    // Only the numbers of a search are read out.
    expect(await count.getAttribute('role')).toBeNull();
    await search.fill('one');
    await page.waitForURL((url) => url.searchParams.get('q') === 'one');
    await eventually(async () => (await count.getAttribute('role')) === 'status', 'the count is read out');
    await byTestId(page, 'log-step').selectOption('0');
    await page.waitForURL((url) => url.searchParams.get('step') === '0');
    await search.fill('two');
    await page.waitForURL((url) => url.searchParams.get('q') === 'two');
    await page.goBack();
    await eventually(async () => (await search.inputValue()) === 'one', 'the log is searched as before');
    await page.goto(`/console/invocations/${id}?tab=result&find=word`);
    await byTestId(page, 'result-more').click();
    await page.waitForURL((url) => url.searchParams.has('at'));
    await byTestId(page, 'result-search').fill('needle');
    await page.waitForURL((url) => url.searchParams.get('find') === 'needle');
    await page.goBack();
    await eventually(
      async () => (await byTestId(page, 'result-search').inputValue()) === 'word',
      'the result is searched as before',
    );
  });

  inPage('Enter in the palette does not open a result of the text before', async ({ page }) => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/v1\/search\?q=core%3Aecho/, async (route) => {
      await gate;
      await route.continue();
    });
    await page.goto('/console/');
    await waitForPage(page, 'overview');
    await page.keyboard.press('Control+k');
    const palette = byTestId(page, 'palette');
    await palette.getByRole('combobox').fill('core:math');
    await palette.getByRole('option', { name: 'core:math' }).first().waitFor();
    await palette.getByRole('combobox').fill('core:echo');
    await page.keyboard.press('Enter');
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect([await palette.count(), new URL(page.url()).pathname]).toEqual([1, '/console/']);
    release();
    await palette.getByRole('option', { name: 'core:echo' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/tools/core%3Aecho');
  });

  inPage('A question for a pause that somebody else gave does not come back', async ({ page }) => {
    await page.goto('/console/queues');
    await waitForPage(page, 'queues');
    await page.locator('[data-testid="queue"][data-name="scripts"] [data-testid="pause"]').click();
    await byTestId(page, 'pause-dialog').waitFor();
    await client.post('/v1/queues/scripts/pause', { note: 'from elsewhere' });
    await page.locator('[data-name="scripts"][data-paused="true"]').waitFor();
    await byTestId(page, 'pause-dialog').waitFor({ state: 'detached' });
    await client.post('/v1/queues/scripts/resume', '');
    await page.locator('[data-name="scripts"][data-paused="false"] [data-testid="pause"]').waitFor();
    expect(await byTestId(page, 'pause-dialog').count()).toBe(0);
  });

  inPage('The link to the process that has taken a job over shows it, whatever the filter is', async ({ page }) => {
    const job = {
      invocationId: 'inv_00000000000000000000',
      step: 0,
      toolId: 'core:echo',
      since: '2026-01-01T00:00:00Z',
    };
    const left: JobLeft[] = ['worker-28', 'worker-gone'].map((at) => ({ ...job, process: at, now: 'taken-over' }));
    const ready = Array.from({ length: 30 }, (_, n) => processOf(`worker-${n}`, 'ready'));
    const body = JSON.stringify({ items: [processOf('worker-lost', 'lost', left), ...ready], nextCursor: null });
    await page.route('**/v1/processes', (route) => route.fulfill({ contentType: 'application/json', body }));
    await page.goto('/console/processes');
    await waitForPage(page, 'processes');
    await page.getByRole('navigation', { name: 'Processes by state' }).getByRole('link', { name: 'Lost' }).click();
    await page.waitForURL(/state=lost/);
    const shown = page.locator('[data-testid="process"][data-id="worker-28"]');
    await shown.waitFor({ state: 'detached' });
    const hand = page.locator('[data-id="worker-lost"] [data-testid="in-hand"]');
    await hand.getByText('now at worker-gone').waitFor();
    expect(await hand.getByRole('link', { name: 'worker-gone' }).count()).toBe(0);
    await hand.getByRole('link', { name: 'worker-28' }).click();
    await page.waitForURL('**/console/processes?part=2#process-worker-28');
    await shown.waitFor();
    const isInView = () =>
      shown.evaluate((panel) => {
        const { top } = panel.getBoundingClientRect();
        return top >= 0 && top < innerHeight;
      });
    await eventually(isInView, 'the process is in view');
  });

  inPage('The impact of a cancel has the words for one thing', async ({ page }) => {
    const id = await client.submit({ toolId: 'core:delay', arguments: { ms: 600_000 } });
    const running = Array.from({ length: 21 }, (_, step) => ({ step, where: 'worker' }));
    const impact = { running, children: 1, waiters: [id], callbackOwed: false, effectsDone: [] };
    await page.route('**/impact', (route) => route.fulfill({ json: impact }));
    await page.goto(`/console/invocations/${id}`);
    await byTestId(page, 'cancel').click();
    const shown = byTestId(page, 'impact');
    const words = [
      'Stops 1 more node',
      'Ends 1 script or call that it started',
      '1 other invocation waits for its end',
    ];
    for (const text of words) await shown.getByText(text, { exact: false }).waitFor();
    await client.cancel(id);
  });

  inPage('The editor shows characters that hide, and leaves emoji as they are', async ({ page }) => {
    await page.goto('/console/try');
    await byTestId(page, 'try-text').click();
    await page.keyboard.insertText(
      'a\uFE0Fb\u{E0100}c\u3164d\u034Fe\u{1D173}f\u{E0041} ☎\uFE0F 1\uFE0F\u20E3 👩\u200D💻',
    );
    const special = byTestId(page, 'try-text').locator('.cm-specialChar');
    await eventually(async () => (await special.count()) === 6, 'six characters are marked');
  });
});

describeWithBrowser('An operator who acts for several tenants', () => {
  const env = { ERRAND_API_KEYS: `${KEY} acme:the-key-of-acme-1234567890` };
  const stack = useStack({ with: ['worker'], library: FORM_LIBRARY, env });
  const { inPage } = useConsole(() => stack.url);

  inPage('What is half typed for one tenant is not shown for another, and a logout deletes it', async ({ page }) => {
    const headers = { authorization: `Bearer ${KEY}` };
    const call = { toolId: 'desk:free', arguments: {} };
    const { id } = (await stack.client.post('/v1/invocations', call, headers)).body;
    const answer = page.locator(`[data-invocation="${id}"]`).getByLabel('Answer as JSON');
    await page.goto('/console/inbox');
    await logIn(page, KEY);
    await answer.fill('"half of it"');
    await page.goto('/console/try');
    await byTestId(page, 'try-text').click();
    await page.keyboard.insertText('a text of default');
    await page.waitForFunction(() => Object.values(localStorage).includes('a text of default'));
    await page.goto('/console/inbox?tenant=acme');
    await waitForPage(page, 'inbox');
    await page.locator('[data-testid="live-state"][data-state="live"]').waitFor();
    await byTestId(page, 'empty').waitFor();
    expect(await byTestId(page, 'inbox-item').count()).toBe(0);
    await page.goto('/console/try?tenant=acme');
    await byTestId(page, 'try-example').waitFor();
    expect(await byTestId(page, 'try-text').innerText()).not.toContain('a text of default');
    await page.goto('/console/try');
    await eventually(
      async () => (await byTestId(page, 'try-text').innerText()).includes('a text of default'),
      'the text is there',
    );
    await page.goto('/console/inbox');
    await answer.waitFor();
    expect(await answer.inputValue()).toBe('"half of it"');
    await byTestId(page, 'logout').click();
    await waitForPage(page, 'login');
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  });
});
