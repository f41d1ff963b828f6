import type { Json, JsonObject, StoredEdge, StoredNode, StoredWorkflow } from '@errand/contracts';
import { MemoryJournal, Suspended, runWorkflow, type RunOptions } from '@errand/engine';
import { optionsFor, runCoreNode } from '../test/run-core-node.js';

/**
 * A workflow of core nodes. Its edges are written as `node.slot > node.slot`; `in` and `out` are its own inputs and
 * outputs.
 */
function workflow(id: string, inputs: string[], nodes: StoredNode[], edges: string[]): StoredWorkflow {
  const slots = (names: string[]) => Object.fromEntries(names.map((name) => [name, { dataFlowType: 'WILDCARD' }]));
  const stored = edges.map((edge): StoredEdge => {
    const [source, sourceHandle, target, targetHandle] = edge.split(/ > |\./) as [string, string, string, string];
    return { source, sourceHandle, target, targetHandle };
  });
  return {
    id,
    nodes: [{ id: 'in', type: 'core:GroupInput' }, ...nodes, { id: 'out', type: 'core:GroupOutput' }],
    edges: stored,
    interfaceInputs: slots(inputs),
    interfaceOutputs: slots(stored.filter(({ target }) => target === 'out').map(({ targetHandle }) => targetHandle)),
  };
}

const LABEL = workflow(
  'label',
  ['item', 'index', 'sign'],
  [{ id: 'join', type: 'core:join', inputValues: { separator: '-' } }],
  ['in.index > join.parts', 'in.item > join.parts', 'in.sign > join.parts', 'join.text > out.label'],
);
const INVERSE = workflow(
  'inverse',
  ['item'],
  [{ id: 'divide', type: 'core:math', inputValues: { op: 'divide', a: 12 } }],
  ['in.item > divide.b', 'divide.result > out.result'],
);
/** Earlier items take longer. */
const SLOW = workflow(
  'slow',
  ['item'],
  [{ id: 'delay', type: 'core:delay' }],
  ['in.item > delay.ms', 'in.item > delay.value', 'delay.value > out.value'],
);
const DOUBLE = workflow(
  'double',
  ['value'],
  [{ id: 'twice', type: 'core:math', inputValues: { op: 'multiply', b: 2 } }],
  ['in.value > twice.a', 'twice.result > out.value'],
);
const ASK = workflow(
  'ask',
  ['item'],
  [{ id: 'ask', type: 'core:external' }],
  ['in.item > ask.prompt', 'ask.result > out.answer'],
);
const LIBRARY = new Map([LABEL, INVERSE, SLOW, DOUBLE, ASK].map((one) => [one.id!, one]));

const repeat = (type: string, args: JsonObject, more: Partial<RunOptions> = {}) =>
  runCoreNode(type, args, { workflows: LIBRARY, ...more });

describe('core:forEach', () => {
  it.each([1, 2, 100])(
    'core:forEach runs a workflow for each item, %i at a time, and returns the results in order',
    async (concurrency) => {
      const args = { items: ['a', 'b', 'c'], workflowId: 'label', concurrency, inputs: { sign: '!' } };
      await expect(repeat('core:forEach', args)).resolves.toEqual(['0-a-!', '1-b-!', '2-c-!']);
      await expect(repeat('core:forEach', { items: [30, 15, 0], workflowId: 'slow', concurrency })).resolves.toEqual([
        30, 15, 0,
      ]);
    },
  );

  it('core:forEach returns an empty list for an empty list', async () => {
    await expect(repeat('core:forEach', { items: [], workflowId: 'label' })).resolves.toEqual([]);
  });

  it('core:forEach respects its concurrency', async () => {
    let running = 0;
    let most = 0;
    const emit: RunOptions['emit'] = (event) => {
      if (event.event !== 'node' || !event.state.nodeId.endsWith('/delay')) return;
      running += event.state.status === 'running' ? 1 : -1;
      most = Math.max(most, running);
    };
    await repeat('core:forEach', { items: [5, 5, 5, 5, 5, 5, 5], workflowId: 'slow', concurrency: 3 }, { emit });
    expect(most).toBe(3);
  });

  it.each<[string, JsonObject, Json]>([
    ['null', { onItemError: 'null' }, [6, null, 4]],
    ['skip', { onItemError: 'skip' }, [6, 4]],
  ])('core:forEach continues after a failed item with onItemError %s', async (_way, more, expected) => {
    const lines: string[] = [];
    const emit: RunOptions['emit'] = (event) => void (event.event === 'log' && lines.push(event.line));
    await expect(
      repeat('core:forEach', { items: [2, 0, 3], workflowId: 'inverse', ...more }, { emit }),
    ).resolves.toEqual(expected);
    expect(lines).toEqual([expect.stringMatching(/^item 1: .*division by zero/)]);
  });

  it('core:forEach fails with the index of the failed item', async () => {
    await expect(repeat('core:forEach', { items: [2, 0, 3], workflowId: 'inverse' })).rejects.toMatchObject({
      type: 'NodeError',
      message: expect.stringMatching(/item 1: .*division by zero/),
      details: { index: 1 },
    });
  });

  it('core:forEach finishes running items after a failure and starts no more', async () => {
    const lasting = workflow(
      'lasting',
      ['item'],
      [
        { id: 'delay', type: 'core:delay' },
        { id: 'divide', type: 'core:math', inputValues: { op: 'divide', a: 1 } },
      ],
      ['in.item > delay.ms', 'in.item > delay.value', 'delay.value > divide.b', 'divide.result > out.result'],
    );
    const journal = new MemoryJournal();
    const args = { items: [0, 20, 1, 1], workflowId: 'lasting', concurrency: 2 };
    const run = repeat('core:forEach', args, { workflows: new Map([['lasting', lasting]]), journal });
    await expect(run).rejects.toMatchObject({ details: { index: 0 } });
    expect(journal.entries.get('forEach:2/divide')).toMatchObject({ status: 'succeeded' });
    expect(journal.entries.has('forEach:3/delay')).toBe(false);
  });

  it.each<[JsonObject, string]>([
    [{ items: [1], workflowId: 'labl' }, "There is no workflow 'labl', did you mean 'label'?"],
    [{ items: [1], workflowId: 'label', concurrency: 0 }, 'concurrency'],
    [{ items: [1], workflowId: 'label', concurrency: 101 }, 'concurrency'],
    [{ items: [1], workflowId: 'label', onItemError: 'ignore' }, "'onItemError' must be one of fail, null, skip"],
    [{ items: Array(10_001).fill(0), workflowId: 'label' }, "'items' must be at most 10000, got 10001"],
  ])('core:forEach refuses %j: %s', async (args, message) => {
    await expect(repeat('core:forEach', args)).rejects.toThrow(message);
  });

  it('core:forEach takes finished items from the journal when it runs again', async () => {
    const journal = new MemoryJournal();
    const stored = workflow(
      'outer',
      [],
      [{ id: 'each', type: 'core:forEach', inputValues: { items: ['x', 'y'], workflowId: 'ask', concurrency: 2 } }],
      ['each.results > out.results'],
    );
    const options = () => optionsFor({ workflows: LIBRARY, journal, suspendAfterMs: 0 });
    await expect(runWorkflow(stored, {}, options())).rejects.toBeInstanceOf(Suspended);
    const waiting = [...journal.entries.values()].filter(({ status }) => status === 'waiting_external');
    expect(waiting.map((state) => state.waiting?.prompt)).toEqual(['x', 'y']);
    for (const state of waiting) journal.answers.set(state.waiting!.key!, { result: [state.waiting!.prompt!] });
    await expect(runWorkflow(stored, {}, options())).resolves.toEqual({ results: [['x'], ['y']] });
  });
});

describe('core:loop', () => {
  it('core:loop runs a workflow until its condition is true', async () => {
    const args = { value: 1, workflowId: 'double', until: 'value > 100' };
    await expect(repeat('core:loop', args)).resolves.toEqual({ value: 128, iterations: 7 });
  });

  it('core:loop runs a workflow maxIterations times', async () => {
    const args = { value: 1, workflowId: 'double', maxIterations: 4 };
    await expect(repeat('core:loop', args)).resolves.toEqual({ value: 16, iterations: 4 });
  });

  it.each<[JsonObject, string]>([
    [{ until: 'value < 0', maxIterations: 3 }, "'until' was not true after 3 rounds"],
    [{ until: 'value' }, "'until' must give true or false, got 2"],
    [{ until: 'vale > 1' }, 'the known names are: value, index'],
    [{ maxIterations: 0 }, 'maxIterations'],
    [{ maxIterations: 10_001 }, 'maxIterations'],
  ])('core:loop with %j is refused: %s', async (more, message) => {
    await expect(repeat('core:loop', { value: 1, workflowId: 'double', ...more })).rejects.toThrow(message);
  });
});

describe('The nodes that wait', () => {
  it('core:wait returns its value after its time', async () => {
    await expect(runCoreNode('core:wait', { ms: 5, value: { a: 1 } })).resolves.toEqual({ a: 1 });
    await expect(runCoreNode('core:wait', { ms: 0 })).resolves.toBeNull();
  });

  it('core:wait suspends the invocation if its time is long', async () => {
    const journal = new MemoryJournal();
    await expect(runCoreNode('core:wait', { ms: 60_000 }, { journal, suspendAfterMs: 10 })).rejects.toMatchObject({
      until: expect.any(Number),
      forAnswer: false,
    });
  });

  it('core:external asks and returns the answer', async () => {
    const journal = new MemoryJournal();
    const ask = () => runCoreNode('core:external', { prompt: { question: 'May I?' } }, { journal, suspendAfterMs: 0 });
    await expect(ask()).rejects.toMatchObject({ forAnswer: true, until: undefined });
    const [state] = [...journal.entries.values()];
    expect(state?.waiting).toMatchObject({ for: 'answer', prompt: { question: 'May I?' } });
    journal.answers.set(state!.waiting!.key!, { result: 'yes' });
    await expect(ask()).resolves.toBe('yes');
  });

  it('core:external fails with the error of the answer or when its time is over', async () => {
    const options: Partial<RunOptions> = {
      onAnswer: (report) => (setImmediate(() => report('external:1', { error: { message: 'no!' } })), () => {}),
    };
    await expect(runCoreNode('core:external', {}, options)).rejects.toThrow('no!');
    await expect(runCoreNode('core:external', { timeoutMs: 5 })).rejects.toMatchObject({ type: 'TimeoutError' });
  });

  it.each<[string, JsonObject, string]>([
    ['core:wait', { ms: -1 }, "'ms'"],
    ['core:wait', { ms: 1e12 }, "'ms'"],
    ['core:external', { timeoutMs: 0 }, 'timeoutMs'],
    ['core:external', { timeoutMs: 'soon' }, 'timeoutMs'],
  ])('The node %s refuses %j', async (type, args, message) => {
    await expect(runCoreNode(type, args)).rejects.toMatchObject({
      type: 'ParameterValidationError',
      message: expect.stringContaining(message),
    });
  });
});

describe('core:coalesce and core:merge', () => {
  it.each([
    [true, { first: 'YES', both: { a: 1 } }],
    [false, { first: 'no', both: { b: 2 } }],
  ])('core:coalesce and core:merge continue with the branch that was taken: %s', async (condition, expected) => {
    const stored = workflow(
      'branches',
      [],
      [
        { id: 'if', type: 'core:if', inputValues: { condition, value: condition ? 'yes' : 'NO' } },
        { id: 'loud', type: 'core:case', inputValues: { style: 'upper' } },
        { id: 'soft', type: 'core:case', inputValues: { style: 'lower' } },
        { id: 'first', type: 'core:coalesce' },
        { id: 'choose', type: 'core:if', inputValues: { condition, value: condition ? { a: 1 } : { b: 2 } } },
        { id: 'both', type: 'core:merge' },
      ],
      [
        'if.true > loud.text',
        'if.false > soft.text',
        'loud.text > first.values',
        'soft.text > first.values',
        'first.value > out.first',
        'choose.true > both.objects',
        'choose.false > both.objects',
        'both.object > out.both',
      ],
    );
    await expect(runWorkflow(stored, {}, optionsFor())).resolves.toEqual(expected);
  });
});
