import { describeWithBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { axeFaults } from './support/axe-faults.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';

const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
const FAILING = { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } };

describeWithBrowser('The list of invocations', () => {
  const stack = useStack({ with: ['worker'] });
  const { inPage } = useConsole(() => stack.url);
  const { client } = stack;
  const submitMany = async (count: number, body: object): Promise<string[]> => {
    const items = Array.from({ length: count }, () => body);
    const { body: batch } = await client.post<{ items: { id: string }[] }>('/v1/invocations/batch', { items });
    return batch.items.map(({ id }) => id);
  };

  inPage('The filters are in the address, and Back returns to the filters before', async ({ page }) => {
    const failed = await client.invoke({ ...FAILING, session: 'filters' });
    const done = await client.invoke({ ...ECHO, session: 'filters', metadata: { ticket: 7 } });
    await page.goto('/console/invocations?session=filters');
    await waitForPage(page, 'invocations');
    expect(await byTestId(page, 'row').count()).toBe(2);
    expect(await byTestId(page, 'count').textContent()).toBe('2 invocations');
    await byTestId(page, 'filter-status').selectOption('failed');
    await page.waitForURL(/status=failed/);
    await page.locator(`[data-id="${done.id}"]`).waitFor({ state: 'detached' });
    expect(await page.locator(`[data-id="${failed.id}"]`).getAttribute('data-status')).toBe('failed');
    await page.goBack();
    await page.locator(`[data-id="${done.id}"]`).waitFor();
    await byTestId(page, 'filter-metadata').fill('ticket=7');
    await page.waitForURL(/metadata\.ticket=7/);
    await page.locator(`[data-id="${failed.id}"]`).waitFor({ state: 'detached' });
    await byTestId(page, 'filter-tool').fill('core:nothing');
    await byTestId(page, 'empty').waitFor();
    await byTestId(page, 'clear-filters').click();
    await page.waitForURL((url) => url.search === '');
    await page.locator(`[data-id="${failed.id}"]`).waitFor();
    await byTestId(page, 'filter-session').pressSequentially('filt', { delay: 0 });
    await page.waitForURL(/session=filt$/);
    await byTestId(page, 'filter-session').pressSequentially('ers');
    await page.waitForURL(/session=filters$/);
    await page.goBack();
    await page.waitForURL((url) => url.search === '');
  });

  inPage('Rows change in place and new ones wait behind a button, without a request', async ({ page }) => {
    const open = await client.submit({ toolId: 'core:delay', arguments: { ms: 600_000, value: 1 }, session: 'live' });
    await page.goto('/console/invocations?session=live');
    await waitForPage(page, 'invocations');
    await page.locator(`[data-id="${open}"][data-status="running"]`).waitFor();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await client.cancel(open);
    await page.locator(`[data-id="${open}"][data-status="cancelled"]`).waitFor();
    const ids = [await client.submit({ ...ECHO, session: 'live' }), await client.submit({ ...ECHO, session: 'live' })];
    await client.submit({ ...ECHO, session: 'another' });
    await byTestId(page, 'new-rows').filter({ hasText: '2 new' }).waitFor();
    expect(await byTestId(page, 'row').count()).toBe(1);
    await byTestId(page, 'new-rows').click();
    for (const id of ids) await page.locator(`[data-id="${id}"][data-status="succeeded"]`).waitFor();
    expect(await byTestId(page, 'new-rows').count()).toBe(0);
    expect(requests).toEqual([]);
  });

  inPage('After another page, the list has what came meanwhile', async ({ page }) => {
    const open = await client.submit({ toolId: 'core:delay', arguments: { ms: 600_000, value: 1 }, session: 'back' });
    await page.goto('/console/invocations?session=back');
    await page.locator(`[data-id="${open}"][data-status="running"]`).waitFor();
    await byTestId(page, 'nav').getByRole('link', { name: 'Overview' }).click();
    await waitForPage(page, 'overview');
    await client.cancel(open);
    const [ended] = await submitMany(2, { ...ECHO, session: 'back' });
    await client.untilEnded(ended!);
    await page.goBack();
    await page.locator(`[data-id="${open}"][data-status="cancelled"]`).waitFor();
    await byTestId(page, 'new-rows').filter({ hasText: '2 new' }).waitFor();
  });

  inPage(
    'The list needs at most 12 requests until it shows, and opens the stream before it reads',
    async ({ page }) => {
      const id = await client.submit({ toolId: 'core:delay', arguments: { ms: 600_000, value: 1 }, session: 'first' });
      await client.until(id, ({ status }) => status === 'running');
      const requests: string[] = [];
      const order: string[] = [];
      page.on('request', (request) => {
        requests.push(request.url());
        if (request.url().includes('/v1/invocations?')) order.push('list');
      });
      page.on('response', (response) => response.url().includes('/v1/events') && order.push('stream'));
      await page.goto('/console/invocations?session=first');
      const row = page.locator(`[data-id="${id}"]`);
      await row.waitFor();
      expect(requests.length).toBeLessThanOrEqual(12);
      expect(order.slice(0, 2)).toEqual(['stream', 'list']);
      await row.locator('.cell-duration').filter({ hasText: /[1-9]/ }).waitFor();
      await client.cancel(id);
    },
  );

  inPage('What comes while the stream has not opened yet is not missed', async ({ page }) => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    await page.route(/\/v1\/events/, async (route) => {
      await gate;
      await route.continue();
    });
    await page.goto('/console/invocations?session=late');
    await byTestId(page, 'empty').waitFor();
    await client.invoke({ ...ECHO, session: 'late' });
    open();
    await byTestId(page, 'new-rows').filter({ hasText: '1 new' }).waitFor();
  });

  inPage('A page that failed once while the API was away reads again by itself', async ({ page }) => {
    let failures = 2;
    const problem = {
      status: 503,
      contentType: 'application/problem+json',
      body: '{"code":"unavailable","detail":"away"}',
    };
    await page.route(/\/v1\/queues/, (route) => (failures-- > 0 ? route.fulfill(problem) : route.continue()));
    await page.goto('/console/queues');
    await waitForPage(page, 'queues');
    await page.getByText('invocations', { exact: true }).first().waitFor();
    expect(failures).toBeLessThan(0);
  });

  inPage('A reader comes to the end of more rows than are held', async ({ page }) => {
    const [first = ''] = await submitMany(1, { ...ECHO, session: 'very-many' });
    for (let sent = 0; sent < 7_500; sent += 500) await submitMany(500, { ...ECHO, session: 'very-many' });
    await page.goto('/console/invocations?session=very-many');
    await waitForPage(page, 'invocations');
    const end = page.locator(`[data-id="${first}"]`);
    await eventually(async () => {
      await byTestId(page, 'rows').evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
      return (await end.count()) > 0;
    }, 'the first row is shown');
    expect(await end.getAttribute('aria-rowindex')).toBe('7502');
  });

  inPage('A view has a name, and is there after a reload', async ({ page }) => {
    await client.invoke({ ...FAILING, session: 'views' });
    await page.goto('/console/invocations?session=views&status=failed');
    await waitForPage(page, 'invocations');
    await byTestId(page, 'save-view').click();
    await page.locator('[data-testid="view-name"]:focus').waitFor();
    await page.keyboard.type('<b>Broken</b>');
    await page.keyboard.press('Enter');
    await page.goto('/console/invocations');
    await waitForPage(page, 'invocations');
    expect(await byTestId(page, 'view-link').textContent()).toBe('<b>Broken</b>');
    await byTestId(page, 'view-link').click();
    await page.waitForURL(/session=views&status=failed/);
  });

  inPage('The keys move, select and open', async ({ page }) => {
    const ids = (await submitMany(5, { ...ECHO, session: 'keys' })).toSorted().toReversed();
    await page.goto('/console/invocations?session=keys');
    await waitForPage(page, 'invocations');
    const focused = () => page.evaluate(() => document.activeElement?.closest('[role=row]')?.getAttribute('data-id'));
    const becomes = (id: string | undefined) => eventually(async () => (await focused()) === id, `the focus on ${id}`);
    await page.keyboard.press('j');
    await becomes(ids[0]);
    await page.keyboard.press('j');
    await becomes(ids[1]);
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await becomes(ids[2]);
    const selected = () =>
      page.$$eval('[data-testid=row][aria-selected=true]', (rows) => rows.map((row) => row.getAttribute('data-id')));
    expect(await selected()).toEqual([ids[1], ids[2]]);
    await byTestId(page, 'bulk-bar').filter({ hasText: '2 selected' }).waitFor();
    await page.keyboard.press('End');
    await becomes(ids[4]);
    await page.keyboard.press('k');
    await becomes(ids[3]);
    await page.keyboard.press('Home');
    await becomes(ids[0]);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/console/invocations/${ids[0]}`));
    await page.goBack();
    await waitForPage(page, 'invocations');
    expect(await selected()).toEqual([ids[1], ids[2]]);
  });

  inPage('The reason of a wait has its time in the zone of the reader', async ({ page }) => {
    await client.post('/v1/queues/invocations/pause', { note: 'zone' });
    try {
      const id = await client.submit({ ...ECHO, session: 'zone' });
      await page.goto('/console/invocations?session=zone');
      const time = page.locator(`[data-id="${id}"] .cell-detail time`);
      await time.waitFor();
      expect(await time.textContent()).not.toContain('Z');
      expect(await page.locator(`[data-id="${id}"] .cell-detail`).textContent()).toMatch(/^Waits for .*: zone$/);
    } finally {
      await client.post('/v1/queues/invocations/resume', {});
    }
  });

  inPage('The export has every row that matches, and nothing that a spreadsheet would run', async ({ page }) => {
    await submitMany(3, { ...ECHO, session: '=1+1' });
    await page.goto(`/console/invocations?session=${encodeURIComponent('=1+1')}`);
    await waitForPage(page, 'invocations');
    const [download] = await Promise.all([page.waitForEvent('download'), byTestId(page, 'export-csv').click()]);
    const stream = await download.createReadStream();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().trimEnd().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain(",'=1+1,");
  });

  for (const [look, options] of [
    ['in light', { colorScheme: 'light' }],
    ['in dark', { colorScheme: 'dark' }],
    ['at 320 px', { viewport: { width: 320, height: 640 } }],
  ] as const)
    inPage(
      `The list has no serious fault of accessibility ${look}`,
      async ({ page }) => {
        await submitMany(2, { ...ECHO, session: 'axe' });
        await client.invoke({ ...FAILING, session: 'axe' });
        await page.goto('/console/invocations?session=axe');
        await waitForPage(page, 'invocations');
        await byTestId(page, 'select-row').first().click();
        await client.submit({ ...ECHO, session: 'axe' });
        await byTestId(page, 'new-rows').waitFor();
        expect(await axeFaults(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      },
      options,
    );

  inPage('A thousand rows are at most 2,500 elements, and no page is read twice', async ({ page }) => {
    const later = { ...ECHO, session: 'many', options: { delayMs: 86_400_000 } };
    await submitMany(1_000, later);
    const pages: string[] = [];
    page.on('request', (request) => request.url().includes('view=row') && pages.push(request.url()));
    await page.goto('/console/invocations?session=many');
    await waitForPage(page, 'invocations');
    expect(await byTestId(page, 'rows').getAttribute('aria-rowcount')).toMatch(/^(?:1001|-1)$/);
    const loaded = async () => {
      const text = await page.locator('.list-foot').textContent();
      return Number(/to ([\d,]+)/.exec(text ?? '')?.[1]?.replaceAll(',', ''));
    };
    while ((await loaded()) < 1_000) {
      const before = await loaded();
      await byTestId(page, 'rows').evaluate((rows) => (rows.scrollTop = rows.scrollHeight));
      await eventually(async () => (await loaded()) > before, 'the next page');
    }
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(2_500);
    expect(new Set(pages).size).toBe(pages.length);
    const top = page.locator('[data-testid=row]').last();
    expect(Number(await top.getAttribute('aria-rowindex'))).toBeGreaterThan(900);
    await byTestId(page, 'newest').click();
    await page.locator('[aria-rowindex="2"]').waitFor();
  });

  for (const [width, height] of [
    [1280, 900],
    [320, 640],
  ] as const)
    inPage(
      `After a bulk action nothing is selected, and at ${width} px its message covers no action`,
      async ({ page }) => {
        const session = `covered-${width}`;
        await client.invoke({ ...FAILING, session });
        await page.goto(`/console/invocations?session=${session}`);
        await waitForPage(page, 'invocations');
        await byTestId(page, 'select-row').first().click();
        await byTestId(page, 'bulk-retry').click();
        await byTestId(page, 'bulk-confirm').click();
        await byTestId(page, 'toast').waitFor();
        await byTestId(page, 'bulk-bar').waitFor({ state: 'detached' });
        await byTestId(page, 'select-row').first().click();
        const box = async (id: string) => (await byTestId(page, id).boundingBox())!;
        const [bar, toast] = [await box('bulk-bar'), await box('toast')];
        expect(toast.y + toast.height).toBeLessThanOrEqual(bar.y);
        expect(bar.y + bar.height).toBeLessThanOrEqual(height);
      },
      { viewport: { width, height } },
    );

  inPage('After Back, the dialog of a bulk action is that of the present filters', async ({ page }) => {
    const wanted = await client.submit({ toolId: 'core:delay', arguments: { ms: 600_000, value: 1 }, session: 'bulk' });
    const spared = await client.submit({
      toolId: 'core:delay',
      arguments: { ms: 600_000, value: 1 },
      session: 'spared',
    });
    await page.goto('/console/invocations?session=bulk');
    await waitForPage(page, 'invocations');
    await page.locator('[data-testid=filter-session]').fill('spared');
    await page.locator(`[data-id="${spared}"]`).waitFor();
    await page.goto('/console/invocations?session=spared');
    await page.goBack();
    await page.goto('/console/invocations?session=bulk');
    await page.locator(`[data-id="${wanted}"]`).waitFor();
    await byTestId(page, 'select-all').click();
    await byTestId(page, 'select-matching').click();
    await byTestId(page, 'bulk-cancel').click();
    await page.locator('[data-testid=bulk-count][data-count="1"]').waitFor();
    await byTestId(page, 'bulk-sample').locator(`[data-id="${wanted}"]`).waitFor();
    await byTestId(page, 'bulk-confirm').click();
    await page.locator(`[data-testid=row][data-id="${wanted}"][data-status="cancelled"]`).waitFor();
    expect((await client.read(spared)).status).toBe('running');
    await client.cancel(spared);
  });
});
