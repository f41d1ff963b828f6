import { ToolError, type Json, type JsonObject, type NodeContext } from '@errand/contracts';
import {
  add,
  branch,
  edge,
  fail,
  give,
  nodeType,
  options,
  rescue,
  statuses,
  TYPES,
  workflow,
} from '../test/workflow-kit.js';
import { runWorkflow } from './run-workflow.js';

const failure = (run: Promise<unknown>) =>
  run.then(
    () => undefined,
    (error: ToolError) => error,
  );

describe('runWorkflow', () => {
  it('passes values from the inputs through the nodes to the outputs', async () => {
    const diamond = workflow(
      [
        { id: 'a', type: 'test:give' },
        { id: 'b', type: 'test:give' },
        { id: 'sum', type: 'test:add' },
      ],
      ['in.x > a.value', 'in.x > b.value', 'a.value > sum.parts', 'b.value > sum.parts', 'sum.value > out.total'],
      { inputs: ['x'], outputs: ['total'] },
    );
    await expect(runWorkflow(diamond, { x: 21 }, options(TYPES))).resolves.toEqual({ total: 42 });
  });

  it('tells when each node starts and ends', async () => {
    const run = options(TYPES);
    await runWorkflow(workflow([{ id: 'a', type: 'test:give', inputValues: { value: 1 } }], []), {}, run);
    expect(run.events.map((event) => event.event === 'node' && event.state)).toEqual([
      { nodeId: 'a', type: 'test:give', status: 'running', startedAt: expect.any(String), finishedAt: null },
      expect.objectContaining({
        nodeId: 'a',
        status: 'succeeded',
        result: { value: 1 },
        finishedAt: expect.any(String),
      }),
    ]);
  });

  it('takes stored values, slot defaults and settings', async () => {
    const type = nodeType('test:three', [], (inputs, { config }) => ({ value: { ...inputs, ...config } }), {
      inputs: { a: { dataFlowType: 'STRING', config: { default: 'slot' } }, b: { dataFlowType: 'STRING' } },
      config: { c: { type: 'string', default: 'setting' }, d: { type: 'string', default: 'setting' } },
    });
    const node = { id: 'n', type: 'test:three', inputValues: { b: 7 }, configValues: { d: 'stored' } };
    const outputs = await runWorkflow(
      workflow([node], ['n.value > out.all'], { outputs: ['all'] }),
      {},
      options([type]),
    );
    expect(outputs.all).toEqual({ a: 'slot', b: '7', c: 'setting', d: 'stored' });
  });

  it.each([
    ['inputConnectionOrders', { inputConnectionOrders: { parts: ['e2', 'e1'] } }, ['parts', 'parts']],
    ['the numbers of the handles', {}, ['parts__1', 'parts__0']],
  ])('orders a multi-input by %s', async (_by, more, [first, second]) => {
    const list = nodeType('test:list', [], ({ parts = [] }) => ({ value: parts }), {
      inputs: { parts: { dataFlowType: 'WILDCARD', multi: true } },
    });
    const stored = workflow(
      [
        { id: 'a', type: 'test:give', inputValues: { value: 'a' } },
        { id: 'b', type: 'test:give', inputValues: { value: 'b' } },
        { id: 'list', type: 'test:list', ...more },
      ],
      ['list.value > out.list'],
      { outputs: ['list'] },
    );
    stored.edges.push(edge('a.value', `list.${first}`, 'e1'), edge('b.value', `list.${second}`, 'e2'));
    await expect(runWorkflow(stored, {}, options([give, list]))).resolves.toEqual({ list: ['b', 'a'] });
  });

  it('skips what depends on a failed node, finishes the rest and names the node', async () => {
    const run = options(TYPES);
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail' },
        { id: 'after', type: 'test:give' },
        { id: 'apart', type: 'test:give' },
      ],
      ['bad.value > after.value'],
    );
    const error = await failure(runWorkflow(stored, {}, run));
    expect(error).toBeInstanceOf(ToolError);
    expect(error?.toFailure()).toEqual({
      type: 'NodeError',
      message: "Node 'bad' (test:fail) failed: no luck",
      details: { nodeId: 'bad', nodeType: 'test:fail' },
    });
    expect(statuses(run.events)).toEqual({ bad: 'failed', after: 'skipped', apart: 'succeeded' });
  });

  it('keeps the type of a ToolError that a node throws', async () => {
    const type = nodeType('test:lost', [], () => {
      throw new ToolError('ResourceLimitError', 'too big', { limit: 5 });
    });
    const error = await failure(runWorkflow(workflow([{ id: 'n', type: 'test:lost' }], []), {}, options([type])));
    expect(error?.toFailure()).toMatchObject({ type: 'ResourceLimitError', details: { limit: 5, nodeId: 'n' } });
  });

  it('names the other failures as well', async () => {
    const stored = workflow(
      [
        { id: 'a', type: 'test:fail' },
        { id: 'b', type: 'test:fail' },
      ],
      [],
    );
    expect((await failure(runWorkflow(stored, {}, options(TYPES))))?.details).toMatchObject({
      nodeId: 'a',
      alsoFailed: ['b'],
    });
  });

  it('lets a slot that accepts failures catch one', async () => {
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail' },
        { id: 'between', type: 'test:give' },
        { id: 'r', type: 'test:rescue' },
      ],
      ['bad.value > between.value', 'between.value > r.value', 'r.value > out.value'],
      { outputs: ['value'] },
    );
    await expect(runWorkflow(stored, {}, options(TYPES))).resolves.toEqual({
      value: "Node 'bad' (test:fail) failed: no luck",
    });
  });

  it('fails where one of two branches catches the failure and the other does not', async () => {
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail' },
        { id: 'r', type: 'test:rescue' },
        { id: 'b', type: 'test:give' },
      ],
      ['bad.value > r.value', 'bad.value > b.value'],
    );
    expect((await failure(runWorkflow(stored, {}, options([fail, rescue, give]))))?.type).toBe('NodeError');
  });

  it('skips the branch not taken and merges what is there', async () => {
    const run = options(TYPES);
    const stored = workflow(
      [
        { id: 'choose', type: 'test:branch', inputValues: { take: 'yes', value: 3 } },
        { id: 'left', type: 'test:give' },
        { id: 'right', type: 'test:give' },
        { id: 'merged', type: 'test:add' },
      ],
      [
        'choose.yes > left.value',
        'choose.no > right.value',
        'left.value > merged.parts',
        'right.value > merged.parts',
        'merged.value > out.sum',
        'right.value > out.right',
      ],
      { outputs: ['sum', 'right'] },
    );
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ sum: 3, right: null });
    expect(statuses(run.events)).toMatchObject({ left: 'succeeded', right: 'skipped' });
  });

  it.each<[string, object, Json]>([
    ['continue', { onError: 'continue' }, null],
    ['default', { onError: 'default', defaultOutputs: { value: 9 } }, 9],
  ])('goes on after a failure with onError %s', async (_name, more, expected) => {
    const run = options(TYPES);
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail', ...more },
        { id: 'after', type: 'test:give' },
      ],
      ['bad.value > after.value', 'after.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ v: expected });
    expect(statuses(run.events).bad).toBe('failed');
  });

  it('repeats a node that may be retried', async () => {
    let attempts = 0;
    const flaky = nodeType('test:flaky', [], () => {
      attempts++;
      if (attempts < 3) throw new Error('not yet');
      return { value: attempts };
    });
    const retry = { attempts: 3, backoff: { type: 'exponential' as const, delayMs: 1 } };
    const stored = workflow([{ id: 'n', type: 'test:flaky', retry }], ['n.value > out.v'], { outputs: ['v'] });
    await expect(runWorkflow(stored, {}, options([flaky]))).resolves.toEqual({ v: 3 });
  });

  it('ends a node that outlives its time limit, though it ignores its signal', async () => {
    const deaf = nodeType('test:deaf', [], () => new Promise<JsonObject>(() => {}));
    const error = await failure(
      runWorkflow(workflow([{ id: 'n', type: 'test:deaf', timeoutMs: 5 }], []), {}, options([deaf])),
    );
    expect(error?.type).toBe('TimeoutError');
    expect(error?.details).toEqual({ nodeId: 'n', nodeType: 'test:deaf' });
  });

  it('rejects at once when aborted, and hears no more of the nodes', async () => {
    const stop = new AbortController();
    let endLate!: (outputs: JsonObject) => void;
    const deaf = nodeType('test:deaf', [], (_inputs, context) => {
      stop.abort();
      context.log('too late');
      return new Promise<JsonObject>((resolve) => (endLate = resolve));
    });
    const run = options([deaf], { signal: stop.signal });
    const error = await failure(runWorkflow(workflow([{ id: 'n', type: 'test:deaf' }], []), {}, run));
    expect(error?.type).toBe('CancelledError');
    endLate({ value: 1 });
    await new Promise(setImmediate);
    expect(run.events.map(({ event }) => event)).toEqual(['node']);
  });

  it('hears no more of a node that it gave up, while the rest goes on', async () => {
    let stillThere!: NodeContext;
    const deaf = nodeType(
      'test:deaf',
      [],
      (_inputs, context) => ((stillThere = context), new Promise<JsonObject>(() => {})),
    );
    const later = nodeType('test:later', ['value'], async () => {
      stillThere.log('too late');
      stillThere.progress(0.5);
      await expect(stillThere.callTool('x:y', {})).rejects.toMatchObject({ type: 'TimeoutError' });
      return {};
    });
    const run = options([deaf, later]);
    const nodes = [
      { id: 'deaf', type: 'test:deaf', timeoutMs: 5, onError: 'continue' as const },
      { id: 'later', type: 'test:later' },
    ];
    await runWorkflow(workflow(nodes, ['deaf.value > later.value']), {}, run);
    expect(run.events.filter(({ event }) => event !== 'node')).toEqual([]);
  });

  it('rejects with the reason of the abort where it has one', async () => {
    const signal = AbortSignal.abort(new ToolError('TimeoutError', 'over'));
    await expect(runWorkflow(workflow([], []), {}, options([], { signal }))).rejects.toMatchObject({
      type: 'TimeoutError',
    });
  });

  it('never runs more nodes at a time than it may', async () => {
    let [running, most] = [0, 0];
    const busy = nodeType('test:busy', [], async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return {};
    });
    const nodes = Array.from({ length: 20 }, (_, n) => ({ id: `n${n}`, type: 'test:busy' }));
    await runWorkflow(workflow(nodes, []), {}, options([busy], { concurrency: 3 }));
    expect(most).toBe(3);
  });

  it('bypasses a node by passing on the first input that fits', async () => {
    const typed = nodeType('test:typed', [], () => ({ text: 'never' }), {
      inputs: { n: { dataFlowType: 'OBJECT' }, t: { dataFlowType: 'STRING' } },
      outputs: {
        text: { dataFlowType: 'STRING' },
        flag: { dataFlowType: 'BOOLEAN' },
        again: { dataFlowType: 'STRING' },
      },
    });
    const node = { id: 'n', type: 'test:typed', bypassed: true, inputValues: { n: {}, t: 'passed' } };
    const stored = workflow([node], ['n.text > out.text', 'n.flag > out.flag', 'n.again > out.again'], {
      outputs: ['text', 'flag', 'again'],
    });
    await expect(runWorkflow(stored, {}, options([typed]))).resolves.toEqual({
      text: 'passed',
      flag: false,
      again: '',
    });
  });

  it('bypasses by the rules of the type where it has some', async () => {
    const ruled = nodeType('test:ruled', ['a', 'b'], () => ({ value: 'never' }), {
      outputs: { value: { dataFlowType: 'WILDCARD' }, other: { dataFlowType: 'WILDCARD' } },
      bypassBehavior: { passThrough: { value: 'b' }, defaults: { other: 'set' } },
    });
    const node = { id: 'n', type: 'test:ruled', bypassed: true, inputValues: { a: 1, b: 2 } };
    const stored = workflow([node], ['n.value > out.value', 'n.other > out.other'], { outputs: ['value', 'other'] });
    await expect(runWorkflow(stored, {}, options([ruled]))).resolves.toEqual({ value: 2, other: 'set' });
  });

  it('silences a muted node and what hangs on it', async () => {
    const run = options(TYPES);
    const stored = workflow(
      [
        { id: 'a', type: 'test:fail', muted: true },
        { id: 'b', type: 'test:give' },
      ],
      ['a.value > b.value', 'b.value > out.b'],
      { outputs: ['b'] },
    );
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ b: null });
    expect(statuses(run.events)).toEqual({ a: 'skipped', b: 'skipped' });
  });

  it.each<[string, any, RegExp]>([
    ['no object', 'text', /did not return an object/],
    ['an unknown output', { valu: 1 }, /returned 'valu'.*did you mean 'value'/],
    ['what is no JSON', { value: { n: Number.NaN } }, /at \/value\/n is NaN/],
    ['a function', { value: () => 1 }, /is a function/],
    ['a class instance', { value: new Map() }, /is a Map/],
  ])('refuses a node that returns %s', async (_what, returned, message) => {
    const type = nodeType('test:odd', [], () => returned);
    const error = await failure(runWorkflow(workflow([{ id: 'n', type: 'test:odd' }], []), {}, options([type])));
    expect(error).toMatchObject({ type: 'OutputError', message: expect.stringMatching(message) });
  });

  it('refuses a result that nests too deeply, or within itself', async () => {
    const circular: JsonObject = {};
    circular.self = circular;
    const type = nodeType('test:deep', [], () => ({ value: circular }));
    const error = await failure(runWorkflow(workflow([{ id: 'n', type: 'test:deep' }], []), {}, options([type])));
    expect(error).toMatchObject({ type: 'OutputError', message: expect.stringMatching(/deeper than 64/) });
  });

  it('hands out values that no node can change for the others', async () => {
    const vandal = nodeType('test:vandal', ['list'], ({ list }) => {
      if (Array.isArray(list)) list.push('mine');
      return {};
    });
    const stored = workflow([{ id: 'n', type: 'test:vandal' }], ['in.list > n.list'], { inputs: ['list'] });
    const list = ['theirs'];
    expect((await failure(runWorkflow(stored, { list }, options([vandal]))))?.type).toBe('NodeError');
    expect(list).toEqual(['theirs']);
  });

  it('says all that is wrong with the inputs of a node', async () => {
    const typed = nodeType('test:typed', [], () => ({}), {
      inputs: { n: { dataFlowType: 'INTEGER', required: true }, t: { dataFlowType: 'ARRAY' } },
    });
    const stored = workflow([{ id: 'n', type: 'test:typed', inputValues: { t: 'x' } }], []);
    expect(await failure(runWorkflow(stored, {}, options([typed])))).toMatchObject({
      type: 'ParameterValidationError',
      message: "Node 'n' (test:typed) failed: input 'n' is missing; input 't' must be a list, got a string",
    });
  });

  it('checks the inputs of the workflow and fills in their defaults', async () => {
    const stored = workflow([], ['in.n > out.n'], { inputs: ['n'], outputs: ['n'] });
    stored.interfaceInputs = { n: { dataFlowType: 'INTEGER', config: { default: 4 } } };
    await expect(runWorkflow(stored, {}, options([]))).resolves.toEqual({ n: 4 });
    await expect(runWorkflow(stored, { n: 1.5 }, options([]))).rejects.toMatchObject({
      type: 'ParameterValidationError',
    });
  });

  it('lets nodes run tools, log and tell how far they are', async () => {
    const asking = nodeType('test:ask', [], async (_inputs, context) => {
      context.log('asking');
      context.progress(2, 'done');
      return { value: [await context.callTool('x:y', { a: 1 }), await context.callTool('x:z', {})] };
    });
    const keys: string[] = [];
    const callTool = async (toolId: string, _args: JsonObject, { key }: { key: string }) => (keys.push(key), toolId);
    const run = options([asking], { callTool });
    const stored = workflow([{ id: 'n', type: 'test:ask' }], ['n.value > out.v'], { outputs: ['v'] });
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ v: ['x:y', 'x:z'] });
    expect(keys).toEqual(['n:1', 'n:2']);
    expect(run.events).toContainEqual({ event: 'log', nodeId: 'n', line: 'asking' });
    expect(run.events).toContainEqual({ event: 'progress', nodeId: 'n', value: 1, message: 'done' });
  });

  it('runs a chain of ten thousand nodes', async () => {
    const nodes = Array.from({ length: 10_000 }, (_, n) => ({ id: `n${n}`, type: 'test:give' }));
    const edges = nodes.slice(1).map((_, n) => `n${n}.value > n${n + 1}.value`);
    const stored = workflow(nodes, ['in.x > n0.value', ...edges, 'n9999.value > out.x'], {
      inputs: ['x'],
      outputs: ['x'],
    });
    await expect(runWorkflow(stored, { x: 'far' }, options(TYPES))).resolves.toEqual({ x: 'far' });
  });

  it('skips ten thousand nodes behind a failure', async () => {
    const nodes = Array.from({ length: 10_000 }, (_, n) => ({
      id: `n${n}`,
      type: n === 0 ? 'test:fail' : 'test:give',
    }));
    const edges = nodes.slice(1).map((_, n) => `n${n}.value > n${n + 1}.value`);
    await expect(runWorkflow(workflow(nodes, edges), {}, options([fail, give]))).rejects.toMatchObject({
      type: 'NodeError',
    });
  });

  it('does not run what is not sound', async () => {
    const stored = workflow([{ id: 'n', type: 'test:gone' }], []);
    await expect(runWorkflow(stored, {}, options([add, branch]))).rejects.toThrow(
      /cannot run here: There is no node type 'test:gone'/,
    );
  });
});
