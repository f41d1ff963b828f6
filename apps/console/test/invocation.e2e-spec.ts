import { readFileSync } from 'node:fs';
import type { Invocation } from '@errand/contracts';
import { EventWriter } from '@errand/queue';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';

const PLUGIN = `
name: lab
displayName: Lab
version: 1.0.0
description: Nodes for the tests of the console.
nodes: { entry: nodes/index.js }
`;
const NODES = `
let tries = 0;
const string = { dataFlowType: 'STRING' };
module.exports = { services: [], nodes: [
  { type: 'lab:Unsure', description: 'Fails at its first attempt.', inputs: { text: string }, outputs: { text: string },
    run: ({ text }) => { tries += 1; if (tries % 2 === 1) throw new Error('not yet'); return { text }; } },
  { type: 'lab:Ask', description: 'Waits for an answer.', inputs: { text: string }, outputs: { text: string },
    run: async ({ text }, context) => { context.log('asks'); return { text: String(await context.park({ for: 'answer', prompt: text, timeoutMs: 600000 })) }; } },
  { type: 'lab:Fail', description: 'Fails.', inputs: { text: string }, outputs: { text: string },
    run: ({ text }) => { throw new Error('cannot read ' + text); } },
] };`;

const text = { dataFlowType: 'STRING' };
const edge = (source: string, target: string) => ({ source, sourceHandle: 'text', target, targetHandle: 'text' });
const workflowOf = (nodes: readonly object[], edges: readonly object[]) => ({
  nodes: [...nodes, { id: 'out', type: 'core:GroupOutput' }],
  edges,
  interfaceOutputs: { text },
});
const ASK = workflowOf(
  [
    { id: 'unsure', type: 'lab:Unsure', inputValues: { text: 'May I?' }, retry: { attempts: 2 } },
    { id: 'ask', type: 'lab:Ask' },
  ],
  [edge('unsure', 'ask'), edge('ask', 'out')],
);
const FAIL = workflowOf(
  [{ id: 'fail', type: 'lab:Fail', inputValues: { text: '<b>the file</b>' } }],
  [edge('fail', 'out')],
);
const NODE_COUNT = 499;
const WIDE = {
  nodes: [
    ...Array.from({ length: NODE_COUNT }, (_, n) => ({ id: `n${n}`, type: 'core:echo', inputValues: { value: n } })),
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: Array.from({ length: NODE_COUNT }, (_, n) => ({
    source: `n${n < 25 ? NODE_COUNT - 1 - n : n - 25}`,
    sourceHandle: 'value',
    target: n < 25 ? 'out' : `n${n}`,
    targetHandle: n < 25 ? `text${n}` : 'value',
  })),
  interfaceOutputs: Object.fromEntries(
    Array.from({ length: 25 }, (_, n) => [`text${n}`, { dataFlowType: 'WILDCARD' }]),
  ),
};

describeWithBrowser('The page of an invocation', () => {
  const stack = useStack({
    with: ['worker'],
    examples: true,
    library: {
      'plugins/lab/plugin.yaml': PLUGIN,
      'plugins/lab/nodes/index.js': NODES,
      'workflows/ask.json': ASK,
      'workflows/fail.json': FAIL,
      'workflows/wide.json': WIDE,
    },
  });
  const { client } = stack;
  const { inPage } = useConsole(() => stack.url);
  const submit = async (body: object) => (await client.post<Invocation>('/v1/invocations', body)).body.id;
  let cleanUp: (() => Promise<unknown>) | undefined;
  afterEach(async () => {
    await cleanUp?.();
    cleanUp = undefined;
  });
  const pathOf = (id: string, tab = '') => `/console/invocations/${id}${tab && `?tab=${tab}`}`;

  inPage(
    'The timeline grows while the invocation runs, with waits and attempts apart from each other',
    async ({ page }) => {
      const id = await submit({ calls: [{ toolId: 'workflow:ask', arguments: {} }] });
      await page.goto(pathOf(id));
      await waitForPage(page, 'invocation');
      const ask = page.locator('[data-testid="span"][data-node="ask"]');
      await page.locator('[data-testid="status"][data-status="waiting_external"]').waitFor();
      await ask.locator('[data-kind="wait"]').waitFor();
      const unsure = page.locator('[data-testid="span"][data-node="unsure"]');
      await unsure.locator('[data-testid="segment"][data-attempt="2"]').waitFor({ state: 'attached' });
      expect(await byTestId(page, 'why-waits').textContent()).toContain('ask');
      await client.post(`/v1/invocations/${id}/steps/0/result`, { nodeId: 'ask', result: 'yes' });
      await page.locator('[data-testid="status"][data-status="succeeded"]').waitFor();
      await page.locator('[data-testid="span"][data-node="ask"][data-status="succeeded"]').waitFor();
      // The middle of the row belongs to its bars.
      await ask.click();
      expect(await byTestId(page, 'step-detail').textContent()).toContain('yes');
      expect(page.url()).toContain('span=');
    },
  );

  inPage('The graph of a running invocation has the states of its end, also of outputs', async ({ page }) => {
    const id = await submit({ calls: [{ toolId: 'workflow:ask', arguments: {} }] });
    await page.goto(pathOf(id, 'graph'));
    const stateOf = (name: string, status: string) =>
      page.locator(`[data-testid="graph-node"][data-node="${name}"][data-status="${status}"]`);
    await stateOf('ask', 'waiting_external').waitFor();
    await stateOf('out', 'queued').waitFor();
    await client.post(`/v1/invocations/${id}/steps/0/result`, { nodeId: 'ask', result: 'yes' });
    await stateOf('out', 'succeeded').waitFor();
  });

  inPage('A failure says what failed, who is to blame and what to do', async ({ page }) => {
    const { id } = await client.invoke({ toolId: 'workflow:fail', arguments: {} });
    await page.goto(pathOf(id));
    await waitForPage(page, 'invocation');
    const failure = await byTestId(page, 'failure').textContent();
    for (const word of ['NodeError', 'fail', 'cannot read <b>the file</b>', 'a node of the workflow', 'Retry'])
      expect(failure).toContain(word);
    await byTestId(page, 'retry').waitFor();
  });

  inPage('A cancel says first what it touches', async ({ page }) => {
    const id = await submit({ toolId: 'core:delay', arguments: { ms: 600_000 } });
    await page.goto(pathOf(id));
    await byTestId(page, 'cancel').click();
    await byTestId(page, 'impact').waitFor();
    await byTestId(page, 'cancel-confirm').click();
    await page.locator('[data-testid="status"][data-status="cancelled"]').waitFor();
    expect(await byTestId(page, 'cancel').count()).toBe(0);
  });

  inPage('An invocation runs again by the text of its calls, or by the form of its only tool', async ({ page }) => {
    const call = (value: string) => `<core:echo><value>${value}</value></core:echo>`;
    const written = `Both.\n<ACTION>${call('a')}${call('b')}</ACTION>`;
    const several = await submit({ text: written });
    await page.goto(pathOf(several));
    await byTestId(page, 'run-again').click();
    await waitForPage(page, 'try');
    await eventually(async () => (await byTestId(page, 'try-text').innerText()).includes('Both.'));
    const unwritten = await submit({ calls: [1, 2].map((value) => ({ toolId: 'core:echo', arguments: { value } })) });
    for (const id of [unwritten, await submit({ toolId: 'core:echo', arguments: { value: 1 } })]) {
      await page.goto(pathOf(id));
      await byTestId(page, 'run-again').click();
      await waitForPage(page, 'try');
      expect(page.url()).toContain(`tool=core%3Aecho&from=${id}&step=0`);
    }
  });

  inPage('A graph of 500 nodes fits the page, and arrow keys lead along its edges', async ({ page }) => {
    const { id } = await client.invoke({ toolId: 'workflow:wide', arguments: {} });
    await page.goto(pathOf(id, 'graph'));
    await page.locator('[data-testid="graph-node"][data-node="n0"][data-status="succeeded"]').waitFor();
    expect(await byTestId(page, 'graph-node').count()).toBe(NODE_COUNT + 1);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(6_000);
    await page.locator('[data-node="n0"]').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-node'))).toBe('n25');
    await page.keyboard.press('ArrowLeft');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-node'))).toBe('n0');
    await byTestId(page, 'graph-fit').click();
    expect(await byTestId(page, 'graph-list').textContent()).toContain('n3');
    await byTestId(page, 'tab-timeline').click();
    await byTestId(page, 'timeline').waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(2_500);
  });

  inPage('Back takes back the choice of a span or a node, and arrow keys in a row as one step', async ({ page }) => {
    const { id } = await client.invoke({ toolId: 'workflow:wide', arguments: {} });
    await page.goto(pathOf(id));
    await waitForPage(page, 'invocation');
    const span = (n: number) => byTestId(page, 'span').nth(n).locator('button');
    const isChosen = (n: number) => eventually(async () => (await span(n).getAttribute('aria-pressed')) === 'true');
    await span(0).click();
    await isChosen(0);
    await span(0).click();
    await span(2).click();
    await isChosen(2);
    await page.reload();
    await isChosen(2);
    await span(2).focus();
    for (const n of [3, 4, 5]) {
      await page.keyboard.press('ArrowDown');
      await isChosen(n);
    }
    await page.goBack();
    await isChosen(2);
    await page.goBack();
    await isChosen(0);
    await byTestId(page, 'tab-graph').click();
    const node = (name: string) => page.locator(`[data-testid="graph-node"][data-node="${name}"]`);
    await node('n25').click();
    await page.waitForURL(/node=n25/);
    await node('n50').click();
    await page.waitForURL(/node=n50/);
    await page.goBack();
    await page.waitForURL(/node=n25/);
    // The Tab key leads to the chosen node.
    await eventually(async () => (await node('n25').getAttribute('tabindex')) === '0');
    expect(await node('n50').getAttribute('tabindex')).toBe('-1');
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has('node'));
    await waitForPage(page, 'invocation');
  });

  inPage('A log of 100,000 lines is in the page by its visible part, and can be searched', async ({ page }) => {
    const queues = await stack.openQueues();
    const delay = { toolId: 'core:delay', arguments: { ms: 3_600_000 } };
    const id = await submit({ calls: [delay, delay] });
    // A worker that closes waits for its jobs.
    cleanUp = () => client.post(`/v1/invocations/${id}/cancel`, {});
    const events = new EventWriter(queues, id, (error) => {
      throw error;
    });
    const log = async (from: number, to: number) => {
      for (let n = from; n <= to; n++) events.emit({ event: 'log', line: `line ${n}`, stream: 'stderr', step: n % 2 });
      await events.flush();
    };
    await log(1, 100_000);
    await page.goto(pathOf(id, 'log'));
    const count = byTestId(page, 'log-count');
    await eventually(async () => (await count.textContent()) === '100,000 lines');
    await page.locator('[data-testid="log-line"][data-n="100000"]').waitFor();
    expect(await byTestId(page, 'log-line').count()).toBeLessThanOrEqual(200);
    await byTestId(page, 'log-follow').click();
    await byTestId(page, 'log').evaluate((element) => element.scrollTo(0, 0));
    await page.locator('[data-testid="log-line"][data-n="1"]').waitFor();
    await byTestId(page, 'log-search').fill('LINE 4242');
    await eventually(async () => (await count.textContent()) === '11 of 100,000 lines');
    await byTestId(page, 'log-step').selectOption('1');
    await eventually(async () => (await count.textContent()) === '5 of 100,000 lines');
    expect(await byTestId(page, 'log-line').first().getAttribute('data-n')).toBe('42421');
    const [download] = await Promise.all([page.waitForEvent('download'), byTestId(page, 'log-download').click()]);
    expect(download.suggestedFilename()).toBe(`${id}.log`);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => /line \d+/.exec(line)?.[0])).toEqual(
      [42_421, 42_423, 42_425, 42_427, 42_429].map((n) => `line ${n}`),
    );
    await byTestId(page, 'log-search').fill('');
    await byTestId(page, 'log-step').selectOption('');
    await eventually(async () => (await count.textContent()) === '100,000 lines');
    await page.locator('h1').click();
    await page.keyboard.press('f');
    await page.locator('[data-testid="log-follow"][aria-pressed="true"]').waitFor();
    await page.locator('[data-testid="log-line"][data-n="100000"]').waitFor();
    await log(100_001, 100_010);
    await page.locator('[data-testid="log-line"][data-n="100010"]').waitFor();
    await byTestId(page, 'log').press('Home');
    await page.locator('[data-testid="log-follow"][aria-pressed="false"]').waitFor();
  });

  inPage('A large result is shown in parts, and searched as a whole', async ({ page }) => {
    const value = `${'word '.repeat(150_000)}needle${' word'.repeat(1_000)}`;
    const { id } = await client.invoke({ toolId: 'core:echo', arguments: { value } });
    await page.goto(pathOf(id, 'result'));
    await byTestId(page, 'result-more').click();
    await page.getByText('20,000 to 40,000').waitFor();
    await page.goBack();
    await page.getByText('0 to 20,000').waitFor();
    await byTestId(page, 'result-search').fill('needle');
    await page.locator('[data-testid="result-match"][data-offset="750000"]').waitFor();
  });

  inPage('Every tab has its panel, Back leads to the tab before, and an unknown id says so', async ({ page }) => {
    const { id } = await client.invoke({
      toolId: 'core:echo',
      arguments: { value: { ['__proto__x']: [1, null, 'two'] } },
    });
    await page.goto(pathOf(id));
    await waitForPage(page, 'invocation');
    for (const tab of ['graph', 'log', 'text', 'result', 'deliveries', 'effects', 'raw']) {
      await byTestId(page, `tab-${tab}`).click();
      await byTestId(page, `panel-${tab}`).waitFor();
    }
    expect(await byTestId(page, 'raw').textContent()).toContain(id);
    await page.goBack();
    await byTestId(page, 'panel-effects').waitFor();
    await page.goto(pathOf('inv_00000000000000000000'));
    await byTestId(page, 'not-found').waitFor();
  });
});
