import type { Json, JsonObject, StoredWorkflow } from '@errand/contracts';
import { failure, nodeType, options, statuses, TYPES, workflow } from '../../test/workflow-kit.js';
import { MemoryJournal } from '../journal/node-journal.js';
import { Suspended } from './suspended.js';
import { runWorkflow } from './run-workflow.js';

/** Runs its workflow for all items at a time and returns the results in order. */
const each = nodeType(
  'test:each',
  [],
  async ({ items, workflowId }, { runWorkflow: runInside }) => {
    const runs = (items as Json[]).map((item, index) =>
      runInside(workflowId as string, { item, index, extra: 'ignored' }),
    );
    return { value: await Promise.all(runs) };
  },
  {
    inputs: {
      items: { dataFlowType: 'ARRAY', required: true },
      workflowId: { dataFlowType: 'STRING', required: true },
    },
  },
);

const EACH = (workflowId: string, items: Json[] = [1, 2, 3], more = {}): StoredWorkflow =>
  workflow([{ id: 'each', type: 'test:each', inputValues: { workflowId, items }, ...more }], ['each.value > out.v'], {
    outputs: ['v'],
  });

const DOUBLE = workflow(
  [{ id: 'sum', type: 'test:add' }],
  ['in.item > sum.parts', 'in.item > sum.parts', 'sum.value > out.y'],
  { id: 'double', inputs: ['item'], outputs: ['y'] },
);
const inside = (...stored: StoredWorkflow[]) => ({ workflows: new Map(stored.map((one) => [one.id!, one])) });

describe('A workflow that a node runs', () => {
  it.each([1, 2, 16])('An inner workflow returns its result with %i permits', async (concurrency) => {
    const run = options([...TYPES, each], { ...inside(DOUBLE), concurrency });
    await expect(runWorkflow(EACH('double'), {}, run)).resolves.toEqual({ v: [2, 4, 6] });
    expect(statuses(run.events)).toEqual({
      each: 'succeeded',
      'each:1/sum': 'succeeded',
      'each:2/sum': 'succeeded',
      'each:3/sum': 'succeeded',
    });
  });

  it('An inner workflow with several outputs returns all of them', async () => {
    const two = workflow([], ['in.item > out.a', 'in.index > out.b'], {
      id: 'two',
      inputs: ['item', 'index'],
      outputs: ['a', 'b'],
    });
    await expect(runWorkflow(EACH('two', ['x']), {}, options([each], inside(two)))).resolves.toEqual({
      v: [{ a: 'x', b: 0 }],
    });
  });

  it('An inner workflow is searched among the packed workflows, then in the library', async () => {
    const asked: string[] = [];
    const findWorkflow = async (id: string) => (asked.push(id), id === 'double' ? DOUBLE : undefined);
    const run = () => options([...TYPES, each], { findWorkflow });
    await expect(runWorkflow(EACH('double', [4]), {}, run())).resolves.toEqual({ v: [8] });
    expect((await failure(runWorkflow(EACH('gone', [4]), {}, run())))?.message).toBe(
      "Node 'each' (test:each) failed: There is no workflow 'gone'",
    );
    expect(asked).toEqual(['double', 'gone']);
  });

  it('The node groups of an inner workflow find their workflows in the library', async () => {
    const outer = workflow(
      [{ id: 'g', type: 'core:NodeGroup', configValues: { referencedWorkflowId: 'double' } }],
      ['in.item > g.item', 'g.y > out.y'],
      { id: 'outer', inputs: ['item'], outputs: ['y'] },
    );
    const library = new Map([DOUBLE, outer].map((one) => [one.id!, one]));
    const run = options([...TYPES, each], { findWorkflow: async (id) => library.get(id) });
    await expect(runWorkflow(EACH('outer', [4]), {}, run)).resolves.toEqual({ v: [8] });
  });

  it('The error for an unknown inner workflow suggests the nearest name', async () => {
    const run = options([...TYPES, each], inside(DOUBLE));
    expect((await failure(runWorkflow(EACH('duoble'), {}, run)))?.message).toMatch(/did you mean 'double'\?$/);
  });

  it('The inputs of an inner workflow are checked', async () => {
    const typed = { ...DOUBLE, interfaceInputs: { item: { dataFlowType: 'INTEGER' } } };
    const run = options([...TYPES, each], inside(typed));
    expect(await failure(runWorkflow(EACH('double', ['one']), {}, run))).toMatchObject({
      type: 'ParameterValidationError',
      message: "Node 'each' (test:each) failed: input 'item' must be an integer, got a string",
    });
  });

  it('A failure in an inner workflow fails the outer node and names the inner node', async () => {
    const bad = workflow([{ id: 'bad', type: 'test:fail' }], [], { id: 'bad' });
    expect(await failure(runWorkflow(EACH('bad', [1]), {}, options([...TYPES, each], inside(bad))))).toMatchObject({
      message: "Node 'each:1/bad' (test:fail) failed: no luck",
      details: { nodeId: 'each:1/bad', nodeType: 'test:fail' },
    });
  });

  it('An inner workflow keeps its finished nodes when the outer node runs again', async () => {
    const runs: string[] = [];
    const stop = new AbortController();
    const mortal = nodeType('test:mortal', ['item'], ({ item = null }, { nodeId }) => {
      runs.push(nodeId);
      if (item === 3 && !stop.signal.aborted) stop.abort();
      return { value: item };
    });
    const stored = workflow([{ id: 'n', type: 'test:mortal' }], ['in.item > n.item', 'n.value > out.y'], {
      id: 'w',
      inputs: ['item'],
      outputs: ['y'],
    });
    const serial = nodeType(
      'test:each',
      [],
      async ({ items, workflowId }, { runWorkflow: runInside }) => {
        const results = [];
        for (const item of items as Json[]) results.push(await runInside(workflowId as string, { item }));
        return { value: results };
      },
      { inputs: each.inputs },
    );
    const journal = new MemoryJournal();
    const types = [serial, mortal];
    await failure(runWorkflow(EACH('w'), {}, options(types, { ...inside(stored), journal, signal: stop.signal })));
    await expect(runWorkflow(EACH('w'), {}, options(types, { ...inside(stored), journal }))).resolves.toEqual({
      v: [1, 2, 3],
    });
    expect(runs).toEqual(['each:1/n', 'each:2/n', 'each:3/n', 'each:3/n']);
  });

  it('An inner workflow that waits suspends the whole run, which continues with all answers', async () => {
    const ask = nodeType('test:ask', [], async (_inputs, { park }) => ({
      value: (await park({ for: 'answer' })) ?? null,
    }));
    const stored = workflow([{ id: 'n', type: 'test:ask' }], ['n.value > out.y'], { id: 'w', outputs: ['y'] });
    const journal = new MemoryJournal();
    const run = () => options([each, ask], { ...inside(stored), journal, suspendAfterMs: 0, concurrency: 1 });
    await expect(runWorkflow(EACH('w'), {}, run())).rejects.toBeInstanceOf(Suspended);
    expect([...journal.entries.keys()].toSorted()).toEqual(['each:1/n', 'each:2/n', 'each:3/n']);
    for (const [key, result] of [
      ['each:1/n:1', 'a'],
      ['each:2/n:1', 'b'],
    ] as const)
      journal.answers.set(key, { result });
    await expect(runWorkflow(EACH('w'), {}, run())).rejects.toBeInstanceOf(Suspended);
    journal.answers.set('each:3/n:1', { result: 'c' });
    await expect(runWorkflow(EACH('w'), {}, run())).resolves.toEqual({ v: ['a', 'b', 'c'] });
  });

  it('Workflows that call each other endlessly fail at a depth of 32', async () => {
    const endless = { ...EACH('endless', [1]), id: 'endless' };
    const error = await failure(
      runWorkflow(EACH('endless', [1]), {}, options([each], { ...inside(endless), concurrency: 1 })),
    );
    expect(error).toMatchObject({
      type: 'NodeError',
      message: expect.stringMatching(/'endless' would run nested more than 32 levels deep/),
    });
  });

  it('A tool that calls itself endlessly fails at a depth of 32', async () => {
    const caller = nodeType('test:caller', [], async (_inputs, { callTool }) => ({ value: await callTool('me', {}) }));
    const me = workflow([{ id: 'call', type: 'test:caller' }], ['call.value > out.v'], { id: 'me', outputs: ['v'] });
    let deepest = 0;
    const within = (depth: number): Promise<JsonObject> => {
      deepest = depth;
      const run = options([caller], { depth, callTool: (_toolId, _args, origin) => within(origin.depth) });
      return runWorkflow(me, {}, run);
    };
    expect(await failure(within(0))).toMatchObject({
      type: 'NodeError',
      message: expect.stringMatching(/Tool 'me' would run nested more than 32 levels deep/),
    });
    expect(deepest).toBe(32);
  });

  it('An inner workflow runs within the limits of its node', async () => {
    const ignoringSignal = nodeType('test:deaf', [], () => new Promise(() => {}));
    const stored = workflow([{ id: 'n', type: 'test:deaf' }], [], { id: 'w' });
    const outer = EACH('w', [1], { timeoutMs: 5 });
    const run = options([each, ignoringSignal], { ...inside(stored), concurrency: 1 });
    expect(await failure(runWorkflow(outer, {}, run))).toMatchObject({
      type: 'TimeoutError',
      details: { nodeId: 'each' },
    });
  });

  it('An inner workflow is checked once, even if it runs repeatedly', async () => {
    let lookedUp = 0;
    const nodeTypes = new Map(
      TYPES.map((type) => [type.type, type]).concat([[each.type, each]]) as [string, typeof each][],
    );
    const counting = new (class extends Map<string, typeof each> {
      override get(key: string) {
        if (key === 'test:add') lookedUp++;
        return super.get(key);
      }
    })(nodeTypes);
    const items = Array.from({ length: 50 }, (_, n) => n);
    await runWorkflow(EACH('double', items), {}, { ...options([], inside(DOUBLE)), nodeTypes: counting });
    expect(lookedUp).toBe(1);
  });
});
