import type { Invocation, Step } from '@errand/contracts';
import { REVIEW_LIBRARY } from './support/review-library.js';
import { useStack } from './support/start-stack.js';

/** Start times, attempts and final status of steps, above all when the invocation exceeds its time limit. */
const WAITS = {
  nodes: [
    { id: 'wait', type: 'core:wait', inputValues: { ms: 600_000 } },
    { id: 'after', type: 'core:echo' },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [
    { source: 'wait', sourceHandle: 'value', target: 'after', targetHandle: 'value' },
    { source: 'after', sourceHandle: 'value', target: 'out', targetHandle: 'value' },
  ],
  interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
};
const SLOW = {
  ...WAITS,
  nodes: [{ id: 'wait', type: 'core:delay', inputValues: { ms: 600_000 } }, ...WAITS.nodes.slice(1)],
};
const BROKEN = {
  ...WAITS,
  nodes: [{ id: 'wait', type: 'core:math', inputValues: { op: 'divide', a: 1, b: 0 } }, ...WAITS.nodes.slice(1)],
  edges: [{ ...WAITS.edges[0]!, sourceHandle: 'result' }, WAITS.edges[1]!],
};
const asking = (id: string, timeoutMs: number) => ({
  id,
  nodes: [
    { id: 'ask', type: 'core:external', inputValues: { prompt: 'Well?' }, configValues: { timeoutMs } },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: 'ask', sourceHandle: 'result', target: 'out', targetHandle: 'value' }],
  interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
});

const SCRIPT = {
  toolId: 'times:script',
  description: 'No runner takes it.',
  version: '1.0.0',
  handler: { type: 'external-script', language: 'python', scriptPath: 'none.py' },
  parameters: { type: 'object', properties: {} },
};

const stack = useStack({
  with: ['worker'],
  library: {
    ...REVIEW_LIBRARY,
    'scripts/none.py': '',
    'tools/script.tool.json': SCRIPT,
    'tools/labelled.tool.json': { ...SCRIPT, toolId: 'times:labelled', runner: 'gpu' },
    'workflows/waits.json': WAITS,
    'workflows/slow.json': SLOW,
    'workflows/broken.json': BROKEN,
    'workflows/asks-briefly.json': asking('asks-briefly', 1_500),
    'workflows/asks.json': asking('asks', 60_000),
  },
});
const { client } = stack;

const echo = { toolId: 'core:echo', arguments: { value: 1 } };
const slow = { toolId: 'core:delay', arguments: { ms: 600_000 } };
const fails = { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } };
const neverBegan = (step: Step) => ({ startedAt: step.startedAt, attempts: step.attempts });
const NEVER = { startedAt: null, attempts: 0 };

describe('A step that never began', () => {
  it('Steps after a failure in a sequence have no start and no attempt', async () => {
    const { steps } = await client.invoke({ calls: [echo, fails, echo, echo] });
    expect(steps.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'cancelled', 'cancelled']);
    expect(steps.slice(2).map(neverBegan)).toEqual([NEVER, NEVER]);
    expect(Date.parse(steps[1]!.startedAt!)).toBeGreaterThanOrEqual(Date.parse(steps[0]!.finishedAt!));
  });

  it('A step behind a running step has no start and no attempt, also after a cancellation', async () => {
    const id = await client.submit({ calls: [slow, echo] });
    const running = await client.until(id, ({ steps }) => steps[0]!.status === 'running');
    expect(neverBegan(running.steps[1]!)).toEqual(NEVER);
    await client.cancel(id);
    const { steps } = await client.untilEnded(id);
    expect(steps.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(steps[0]).toMatchObject({ startedAt: running.steps[0]!.startedAt, attempts: 1 });
    expect(neverBegan(steps[1]!)).toEqual(NEVER);
  });

  it('A parallel step beyond the concurrency has no start and no attempt', async () => {
    const id = await client.submit({ calls: [slow, slow, echo], options: { mode: 'parallel', concurrency: 2 } });
    const isBusy = ({ steps }: Invocation) => steps.filter(({ status }) => status === 'running').length === 2;
    expect(neverBegan((await client.until(id, isBusy)).steps[2]!)).toEqual(NEVER);
    await client.cancel(id);
    expect(neverBegan((await client.untilEnded(id)).steps[2]!)).toEqual(NEVER);
  });

  it.each([
    ['a single call', echo],
    ['several calls', { calls: [echo, echo] }],
  ])('Steps of an invocation that was cancelled while queued have no start and no attempt: %s', async (_what, body) => {
    const id = await client.submit({ ...body, options: { delayMs: 600_000 } });
    expect((await client.read(id)).steps.map(neverBegan)).toEqual((await client.read(id)).steps.map(() => NEVER));
    await client.cancel(id);
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'cancelled', startedAt: null });
    for (const step of ended.steps)
      expect({ ...neverBegan(step), status: step.status }).toEqual({ ...NEVER, status: 'cancelled' });
  });

  it('A node after a failed node has no start and no attempt', async () => {
    const { steps } = await client.invoke({ toolId: 'workflow:broken', arguments: {} });
    const nodes = new Map(steps[0]!.nodes!.map((node) => [node.nodeId, node]));
    expect(nodes.get('wait')).toMatchObject({ status: 'failed', attempts: 1, startedAt: expect.any(String) });
    expect(nodes.get('after')).toMatchObject({ status: 'skipped', attempts: 0, startedAt: null, finishedAt: null });
  });
});

describe('A step that options.timeoutMs ends', () => {
  const options = { timeoutMs: 700 };
  const timedOut = { status: 'failed', error: { type: 'TimeoutError' } };
  const KINDS: Record<string, object> = {
    'a node': slow,
    'a workflow that works': { toolId: 'workflow:slow', arguments: {} },
    'a workflow that waits': { toolId: 'workflow:waits', arguments: {} },
    'a node that waits': { toolId: 'core:wait', arguments: { ms: 600_000 } },
    'a workflow that asks': { toolId: 'workflow:asks', arguments: {} },
    'an external tool': { toolId: 'review:approve', arguments: { what: 'it' } },
    'a script that no runner takes': { toolId: 'times:script', arguments: {} },
    'a script whose label nobody offers': { toolId: 'times:labelled', arguments: {} },
  };

  // A call of a single script goes directly to the runners: its time limit begins when a runner takes it.
  it.each(Object.entries(KINDS).filter(([kind]) => kind !== 'a script that no runner takes'))(
    'A single call has failed after the time limit: %s',
    async (_kind, call) => {
      const ended = await client.invoke({ ...call, options });
      expect(ended).toMatchObject({ ...timedOut, steps: [timedOut] });
      for (const node of ended.steps[0]!.nodes ?? []) expect(node.status).not.toBe('cancelled');
    },
  );

  it.each(Object.entries(KINDS))(
    'A step in a sequence has failed after the time limit, and the next step never began: %s',
    async (_kind, call) => {
      const ended = await client.invoke({ calls: [echo, call, echo], options });
      expect(ended).toMatchObject({ ...timedOut, steps: [{ status: 'succeeded' }, timedOut, { status: 'cancelled' }] });
      expect(ended.steps[1]).toMatchObject({ attempts: expect.any(Number), startedAt: expect.any(String) });
      expect(neverBegan(ended.steps[2]!)).toEqual(NEVER);
    },
  );

  it('All unfinished parallel steps have failed after the time limit', async () => {
    const calls = [echo, ...Object.values(KINDS), slow, slow];
    const ended = await client.invoke({
      calls,
      options: { ...options, mode: 'parallel', concurrency: calls.length - 1 },
    });
    expect(ended).toMatchObject({
      ...timedOut,
      steps: [{ status: 'succeeded' }, ...calls.slice(1).map(() => timedOut)],
    });
  });

  it('A step that never began has failed without a start after the time limit', async () => {
    const ended = await client.invoke({
      calls: [slow, echo],
      options: { ...options, mode: 'parallel', concurrency: 1 },
    });
    expect(ended.steps).toMatchObject([timedOut, { ...timedOut, ...NEVER }]);
  });

  it('A step between two attempts has failed after the time limit', async () => {
    const calls = [echo, { toolId: 'core:llm', arguments: { prompt: 'x' } }];
    const backoff = { type: 'fixed', delayMs: 1_500 };
    const ended = await client.invoke({ calls, options: { timeoutMs: 800, attempts: 3, backoff } });
    expect(ended).toMatchObject({ status: 'failed', steps: [{ status: 'succeeded' }, { status: 'failed' }] });
  });
});

describe('A short wait for an answer', () => {
  it.each([
    ['a node of a workflow', { toolId: 'workflow:asks-briefly', arguments: {} }],
    [
      'an external tool with a short time',
      { toolId: 'review:approve', arguments: { what: 'it' }, options: { timeoutMs: 1_500 } },
    ],
    [
      'an external tool that a node calls',
      { toolId: 'workflow:asks-briefly', arguments: {}, options: { timeoutMs: 1_800 } },
    ],
  ])('The status waiting_external is shown at once: %s', async (_what, body) => {
    const id = await client.submit(body);
    const waiting = await client.untilWaiting(id);
    expect(waiting.status).toBe('waiting_external');
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
    const told = (await client.events(id)).filter(({ event }) => event === 'status').map(({ data }) => data['status']);
    expect(told).toEqual(['queued', 'running', 'waiting_external', 'running', 'failed']);
  });
});
