import type { ToolGraph } from '@errand/contracts';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { writeFiles } from '../../../test/support/write-files.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';

const TOOL = {
  toolId: 'desk:greet',
  version: '1.0.0',
  displayName: 'Greet <b>loudly</b>',
  description: 'Greets \u202Esomebody',
  handler: { type: 'service-method', serviceName: 'system', methodName: 'getCurrentTime' },
  parameters: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, __proto__: {} } },
  limits: { timeoutMs: 5_000 },
};
const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };

describeWithBrowser('The overview, the tools and the palette', () => {
  const stack = useStack({
    with: ['worker'],
    examples: true,
    library: { 'tools/greet.tool.json': TOOL, 'tools/broken.tool.json': '{\n  "toolId": "desk:broken",' },
  });
  const { client } = stack;
  const { inPage } = useConsole(() => stack.url);

  inPage('The overview shows health, what needs a person, charts with tables, and queues', async ({ page }) => {
    await client.invoke(ECHO);
    await client.post('/v1/invocations', { toolId: 'core:math', arguments: { op: 'add' } });
    const asking = await client.submit({ toolId: 'core:external', arguments: { prompt: 'May I?' } });
    await client.untilWaiting(asking);
    await page.goto('/console/');
    await waitForPage(page, 'overview');
    await byTestId(page, 'health').getByText('Takes writes').waitFor();
    const needs = byTestId(page, 'needs-you');
    await needs.getByRole('link', { name: '1 question waits' }).waitFor();
    await needs.getByRole('link', { name: '1 problem in the library' }).waitFor();
    for (const chart of ['chart-throughput', 'chart-wait', 'chart-failures'])
      await byTestId(page, chart).locator('[data-testid="chart-table"] tbody tr').first().waitFor();
    await byTestId(page, 'chart-throughput').locator('canvas').waitFor();
    expect(await byTestId(page, 'queue-card').count()).toBeGreaterThanOrEqual(3);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(2_500);
    await page.getByRole('button', { name: '1 day' }).click();
    await page.waitForURL('**/console/?range=1d');
    await page.goBack();
    expect(new URL(page.url()).search).toBe('');
    await needs.getByRole('link', { name: '1 question waits' }).click();
    await page.waitForURL('**/console/inbox');
  });

  inPage('The table of a chart has the counts of its drawing', async ({ page }) => {
    const read = () =>
      byTestId(page, 'chart-throughput')
        .locator('[data-testid="chart-table"] tbody tr')
        .evaluateAll((rows) =>
          rows.reduce((sum, row) => sum + Number(row.querySelector('td')?.textContent?.replaceAll(',', '')), 0),
        );
    await client.invoke(ECHO);
    const { body } = await client.get<{ series: { points: [number, number][] }[] }>('/v1/stats?metric=accepted');
    const accepted = (body.series[0]?.points ?? []).reduce((sum, [, count]) => sum + count, 0);
    await page.goto('/console/');
    await eventually(async () => (await read()) === accepted, 'the table has every accepted invocation');
    await byTestId(page, 'chart-throughput').getByRole('button', { name: 'Table' }).click();
    await byTestId(page, 'chart-throughput').locator('canvas').waitFor({ state: 'detached' });
  });

  inPage('A cut result is found behind a hundred newer ones, and stays in sight', async ({ page }) => {
    const { id } = await client.invoke({ toolId: 'core:echo', arguments: { value: 'x'.repeat(50_000) } });
    await Promise.all(Array.from({ length: 110 }, () => client.invoke(ECHO)));
    await page.goto('/console/');
    const sign = byTestId(page, 'look-at').locator('[data-sign="cut"]');
    await sign.getByText(/result among the newest \d+ was cut short/).waitFor();
    await sign.getByRole('link').click();
    await waitForPage(page, 'invocation');
    expect(page.url()).toContain(id);
    await page.getByRole('link', { name: 'Overview' }).click();
    await sign.getByRole('link').waitFor();
  });

  inPage('An invocation that is open for long and runs nowhere is named', async ({ page }) => {
    const id = await client.submit({ toolId: 'core:wait', arguments: { ms: 3_600_000 } });
    await client.until(id, ({ status }) => status === 'running');
    const sign = byTestId(page, 'look-at').locator('[data-sign="open"]');
    await page.goto('/console/');
    await waitForPage(page, 'overview');
    expect(await sign.count()).toBe(0);
    await page.clock.install({ time: Date.now() + 6 * 60_000 });
    await page.reload();
    await sign.getByRole('link').click();
    await waitForPage(page, 'invocation');
    expect(page.url()).toContain(id);
    await client.cancel(id);
  });

  inPage('Tools are found as one types, and a file that does not load is on top', async ({ page }) => {
    await page.goto('/console/tools');
    await waitForPage(page, 'tools');
    const problem = byTestId(page, 'problem');
    await problem.waitFor();
    expect(await problem.textContent()).toContain('broken.tool.json');
    await page.getByRole('searchbox').fill('greet loudly');
    await page.waitForURL('**/console/tools?q=greet+loudly');
    const row = byTestId(page, 'tool-row').filter({ has: page.locator('text=desk:greet') });
    await row.waitFor();
    expect(await row.getByRole('link').textContent()).toBe('Greet <b>loudly</b>');
    await page.getByRole('searchbox').fill('zzqqxx');
    await byTestId(page, 'empty').waitFor();
  });

  inPage('A tool shows its use, what models get wrong, its schema and its prompts', async ({ page }) => {
    await client.post('/v1/invocations', { toolId: 'core:math', arguments: { op: 'no' } });
    const readStats = async () => (await client.get('/v1/tools/core:math/stats')).body as { refusals: object[] };
    await eventually(async () => (await readStats()).refusals.length > 0, 'the refusal is counted');
    await page.goto('/console/tools/core:math');
    await waitForPage(page, 'tool');
    await byTestId(page, 'misreadings').locator('tbody tr').first().waitFor();
    await byTestId(page, 'stats').getByText('Calls', { exact: true }).waitFor();
    for (const id of ['schema', 'versions', 'limits']) await byTestId(page, id).waitFor();
    await byTestId(page, 'graph').locator('[data-testid="graph-node"]').first().waitFor();
    const preview = byTestId(page, 'prompt-preview');
    await preview.locator('[data-format="json"]').waitFor();
    const sizes = await preview.locator('summary').allTextContents();
    expect(sizes).toHaveLength(6);
    expect(sizes.every((text) => /[\d,]+ characters$/.test(text))).toBe(true);
  });

  inPage('The arrow keys follow the edges of a workflow', async ({ page }) => {
    const { edges } = (await client.get<ToolGraph>('/v1/tools/workflow:greet/graph')).body;
    const source = edges[0]?.source ?? '';
    const next = edges.filter((edge) => edge.source === source).map(({ target }) => target);
    await page.goto('/console/tools/workflow:greet');
    await byTestId(page, 'graph').locator(`[data-node="${source}"]`).focus();
    const nodeInFocus = () => page.evaluate(() => document.activeElement?.getAttribute('data-node'));
    await page.keyboard.press('ArrowRight');
    expect(next).toContain(await nodeInFocus());
    await page.keyboard.press('ArrowLeft');
    expect(await nodeInFocus()).toBe(source);
  });

  inPage('Names of a hostile tool are shown as text', async ({ page }) => {
    await page.goto('/console/tools/desk:greet');
    await waitForPage(page, 'tool');
    expect(await byTestId(page, 'page-title').textContent()).toBe('Greet <b>loudly</b>');
    expect(await page.locator('main').textContent()).toContain('⟨');
    await page.goto('/console/tools/desk:nothing');
    await byTestId(page, 'not-found').waitFor();
  });

  inPage('The palette finds pages, tools and invocations, and Enter opens the chosen one', async ({ page }) => {
    const { id } = await client.invoke(ECHO);
    await page.goto('/console/');
    await waitForPage(page, 'overview');
    await page.keyboard.press('Control+k');
    const palette = byTestId(page, 'palette');
    await palette.getByRole('combobox').fill('core:math');
    await palette.getByRole('option', { name: 'core:math' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/tools/core%3Amath');
    await page.keyboard.press('Control+k');
    await palette.getByRole('combobox').fill(id);
    await palette.getByRole('option').filter({ hasText: 'Invocation' }).waitFor();
    expect(await palette.getByRole('option').filter({ hasText: 'core:echo' }).count()).toBe(1);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
  });

  inPage('The pages of tools follow the files of the library', async ({ page, context }) => {
    const [file, id] = ['tools/later.tool.json', 'desk:later'];
    const write = (tool: object | string) => writeFiles(join(stack.folder, 'library'), { [file]: tool });
    const problemIn = (each: Page) => each.locator('[data-testid="problem"][data-file$="later.tool.json"]');
    write('{');
    await page.goto('/console/tools');
    await problemIn(page).waitFor();
    write({ ...TOOL, toolId: id });
    const row = page.locator(`[data-testid="tool-row"][data-id="${id}"]`);
    await row.waitFor();
    await problemIn(page).waitFor({ state: 'detached' });
    const toolPage = await context.newPage();
    await toolPage.goto(`/console/tools/${id}`);
    await waitForPage(toolPage, 'tool');
    write({ ...TOOL, toolId: id, description: 'Greets later' });
    await toolPage.locator('.notice-text').filter({ hasText: 'Greets later' }).waitFor();
    await byTestId(toolPage, 'prompt-preview').locator('pre').first().filter({ hasText: 'Greets later' }).waitFor();
    write('{');
    await problemIn(page).waitFor();
    await problemIn(toolPage).waitFor();
    rmSync(join(stack.folder, 'library', file));
    await row.waitFor({ state: 'detached' });
    await problemIn(page).waitFor({ state: 'detached' });
  });

  inPage('What models get wrong leads to the refused calls, and a refused call to its tool', async ({ page }) => {
    const refuse = async (toolId: string, count: number) => {
      await client.post('/v1/invocations', { toolId, arguments: { op: 'no' }, session: 'wrong' });
      await eventually(async () => {
        const { body } = await client.get<{ items: object[] }>('/v1/refusals?session=wrong');
        return body.items.length === count;
      }, `the refusal of ${toolId} is kept`);
    };
    await refuse('core:math', 1);
    await page.goto('/console/tools/core:math');
    await byTestId(page, 'misreadings').getByRole('link', { name: 'invalid parameters' }).first().click();
    await waitForPage(page, 'refusals');
    expect(new URL(page.url()).search).toBe('?by=parameter&toolId=core%3Amath&code=invalid_parameters');
    await byTestId(page, 'row-link').first().click();
    await byTestId(page, 'refusal').getByRole('link', { name: 'core:math' }).click();
    await waitForPage(page, 'tool');
    await refuse('core:mth', 2);
    await page.goto('/console/refusals?session=wrong');
    await page.getByText('An unknown tool counts under the name that was called').waitFor();
    await byTestId(page, 'row-link').first().click();
    await waitForPage(page, 'refusal');
    const head = byTestId(page, 'refusal');
    expect(await head.getByRole('link', { name: 'core:mth' }).count()).toBe(0);
    await head.filter({ hasText: 'calls core:mth' }).getByRole('link', { name: 'core:math' }).click();
    await page.waitForURL('**/console/tools/core%3Amath');
  });
});
