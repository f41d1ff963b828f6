import type { Json, JsonObject, NodeContext, NodeState, NodeType, StoredSlot, StoredWorkflow } from '@errand/contracts';
import { failure, give, nodeType, options, rescue, statuses, workflow } from '../test/workflow-kit.js';
import { MemoryJournal } from './journal.js';
import type { EngineEvent, RunOptions } from './run-options.js';
import { runWorkflow } from './run-workflow.js';

const ANY: StoredSlot = { dataFlowType: 'WILDCARD' };
const STREAM: StoredSlot = { ...ANY, isStream: true };

type Generate = (inputs: JsonObject, context: NodeContext) => AsyncGenerator<JsonObject, JsonObject | void>;

/** A node that yields chunks at its output `value`. */
const source = (run: Generate, type = 'test:source'): NodeType =>
  nodeType(type, ['first'], run, { outputs: { value: STREAM, count: ANY } });

/** A node that reads chunks at its input `value`. */
const sink = (run: NodeType['run'], type = 'test:sink', slot: StoredSlot = STREAM): NodeType =>
  nodeType(type, ['other'], run, { inputs: { value: slot, other: ANY } });

const counting = (upTo: number, log: string[] = [], type?: string) =>
  source(async function* () {
    for (let n = 1; n <= upTo; n++) {
      log.push(`+${n}`);
      yield { value: n };
    }
    return { count: upTo };
  }, type);

/** Yields the next chunk only when somebody has read the one before. */
const lockstep = (upTo: number, log: string[]) =>
  source(async function* () {
    for (let n = 1; n <= upTo; n++) {
      yield { value: n };
      while (!log.some((line) => line.endsWith(`-${n}`))) await new Promise(setImmediate);
    }
  });

const collecting = (log: string[] = [], type?: string) =>
  sink(async (_inputs, { streams, nodeId }) => {
    const got: Json[] = [];
    for await (const chunk of streams.value!) {
      log.push(`${nodeId}-${Number(chunk)}`);
      got.push(chunk);
    }
    return { value: got };
  }, type);

/** Passes chunks on, ten times as large. */
const tenfold = (type = 'test:tenfold') =>
  nodeType(
    type,
    [],
    async function* (_inputs, { streams }) {
      for await (const chunk of streams.value!) yield { value: Number(chunk) * 10 };
    },
    { inputs: { value: STREAM }, outputs: { value: STREAM } },
  );

const nodes = (...types: string[]) => types.map((type) => ({ id: type.split(':')[1]!, type }));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

const PAIR = workflow(nodes('test:source', 'test:sink'), ['source.value > sink.value', 'sink.value > out.v'], {
  outputs: ['v'],
});

/** The workflow whose output of this name streams. */
const streaming = (stored: StoredWorkflow, name: string): StoredWorkflow => ({
  ...stored,
  interfaceOutputs: { ...stored.interfaceOutputs, [name]: STREAM },
});
const chunksOf = (events: EngineEvent[]) => events.flatMap((event) => (event.event === 'output' ? [event.chunk] : []));

const run = (stored: StoredWorkflow, types: NodeType[], more: Partial<RunOptions> = {}) =>
  runWorkflow(stored, {}, options(types, more));

describe('a stream between nodes', () => {
  it.each([1, 2, 16])('brings all chunks in their order, with %i permits', async (concurrency) => {
    await expect(run(PAIR, [counting(100), collecting()], { concurrency })).resolves.toEqual({ v: upTo(100) });
  });

  it('brings each chunk as it comes', async () => {
    const log: string[] = [];
    await expect(run(PAIR, [lockstep(5, log), collecting(log)])).resolves.toEqual({ v: upTo(5) });
  });

  it('is whole for a node that does not read it chunk by chunk', async () => {
    const stored = workflow(
      nodes('test:source', 'test:give'),
      ['source.value > give.value', 'give.value > out.v', 'source.count > out.n'],
      { outputs: ['v', 'n'] },
    );
    await expect(run(stored, [counting(3), give])).resolves.toEqual({ v: [1, 2, 3], n: 3 });
  });

  it.each<[string, Json[], StoredSlot, Json]>([
    ['texts are one text', ['a', 'b', 'ü'], STREAM, 'abü'],
    ['texts and others are a list', ['a', 1, null], STREAM, ['a', 1, null]],
    ['none is an empty text where the output is text', [], { dataFlowType: 'STRING', isStream: true }, ''],
    ['none is an empty list elsewhere', [], STREAM, []],
  ])('is whole at the end: %s', async (_what, chunks, slot, whole) => {
    const type = nodeType(
      'test:source',
      [],
      async function* () {
        for (const value of chunks) yield { value };
      },
      { outputs: { value: slot } },
    );
    const stored = workflow(nodes('test:source'), ['source.value > out.v'], { outputs: ['v'] });
    await expect(run(stored, [type])).resolves.toEqual({ v: whole });
  });

  it('ends as what the generator returned, where it returns that output', async () => {
    const type = source(async function* () {
      yield { value: 'draft' };
      return { value: 'final', count: 1 };
    });
    const stored = workflow(nodes('test:source'), ['source.value > out.v'], { outputs: ['v'] });
    await expect(run(stored, [type])).resolves.toEqual({ v: 'final' });
  });

  it.each<[string, Partial<StoredWorkflow>]>([
    ['a whole value', {}],
    ['a stored value', { edges: [] }],
  ])('gives %s as one chunk', async (_what, more) => {
    const stored = workflow(
      [
        { id: 'give', type: 'test:give', inputValues: { value: 'whole' } },
        { id: 'sink', type: 'test:sink', inputValues: { value: 'stored' } },
      ],
      ['give.value > sink.value', 'sink.value > out.v'],
      { outputs: ['v'] },
    );
    const edges = more.edges ? stored.edges.filter(({ source: from }) => from !== 'give') : stored.edges;
    await expect(run({ ...stored, edges }, [give, collecting()])).resolves.toEqual({
      v: [more.edges ? 'stored' : 'whole'],
    });
  });

  it('has no chunk where nothing is there, and is not among the inputs', async () => {
    const type = sink(async (inputs, { streams }) => {
      const got: Json[] = [];
      for await (const chunk of streams.value!) got.push(chunk);
      return { value: [got, Object.keys(inputs)] };
    });
    const stored = workflow(nodes('test:sink'), ['sink.value > out.v'], { outputs: ['v'] });
    await expect(run(stored, [type])).resolves.toEqual({ v: [[], []] });
  });

  it('is missing where it is required and nothing is there', async () => {
    const type = sink(async () => ({}), 'test:sink', { ...STREAM, required: true });
    const error = await failure(run(workflow(nodes('test:sink'), []), [type]));
    expect(error).toMatchObject({ type: 'ParameterValidationError', message: /input 'value' is missing/ });
  });

  it('of several into one input comes one after the other', async () => {
    const many = collecting([], 'test:sink');
    const type = { ...many, inputs: { value: { ...STREAM, multi: true } } };
    const stored = workflow(
      [...nodes('test:source', 'test:sink'), { id: 'b', type: 'test:source' }],
      ['source.value > sink.value', 'b.value > sink.value', 'sink.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(run(stored, [counting(40), type], { concurrency: 1 })).resolves.toEqual({
      v: [...upTo(40), ...upTo(40)],
    });
  });

  it('passes through nodes that read and write', async () => {
    const log: string[] = [];
    const chain = nodes('test:source', 'test:tenfold', 'test:sink');
    const stored = workflow(
      chain,
      ['source.value > tenfold.value', 'tenfold.value > sink.value', 'sink.value > out.v'],
      { outputs: ['v'] },
    );
    for (const concurrency of [1, 2, 3]) {
      await expect(run(stored, [counting(50, log), tenfold(), collecting(log)], { concurrency })).resolves.toEqual({
        v: upTo(50).map((n) => n * 10),
      });
      expect(log.indexOf('sink-10')).toBeLessThan(log.indexOf('+40'));
      log.length = 0;
    }
  });

  it('passes through a chain of a thousand', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `t${n}`);
    const stored = workflow(
      [...nodes('test:source'), ...ids.map((id) => ({ id, type: 'test:tenfold' }))],
      ['source.value > t0.value', ...ids.slice(1).map((id, n) => `t${n}.value > ${id}.value`), 't999.value > out.v'],
      { outputs: ['v'] },
    );
    const zeros = source(async function* () {
      for (let n = 0; n < 20; n++) yield { value: 0 };
    });
    await expect(run(stored, [zeros, tenfold()])).resolves.toEqual({ v: Array<number>(20).fill(0) });
  });

  it('begins a reader only when its other inputs are there, and misses nothing', async () => {
    const log: string[] = [];
    const late = nodeType('test:late', [], async () => {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      log.push('late');
      return { value: 1 };
    });
    const stored = workflow(
      nodes('test:source', 'test:late', 'test:sink'),
      ['source.value > sink.value', 'late.value > sink.other', 'sink.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(run(stored, [counting(100, log), late, collecting(log)])).resolves.toEqual({ v: upTo(100) });
    expect(log.indexOf('sink-1')).toBeGreaterThan(log.indexOf('late'));
  });

  it('reaches a reader that waits for another output of the same node', async () => {
    const stored = workflow(
      nodes('test:source', 'test:sink'),
      ['source.value > sink.value', 'source.count > sink.other', 'sink.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(run(stored, [counting(100), collecting()], { concurrency: 1 })).resolves.toEqual({ v: upTo(100) });
  });
});

describe('back-pressure', () => {
  it('keeps a producer from running away from a slow reader', async () => {
    let [made, ahead] = [0, 0];
    const eager = source(async function* () {
      for (made = 1; made <= 500; made++) yield { value: made };
    });
    const slow = sink(async (_inputs, { streams }) => {
      let got = 0;
      for await (const chunk of streams.value!) {
        got = Number(chunk);
        await new Promise(setImmediate);
        ahead = Math.max(ahead, made - got);
      }
      return { value: got };
    });
    await expect(run(PAIR, [eager, slow])).resolves.toEqual({ v: 500 });
    expect(ahead).toBeLessThanOrEqual(17);
  });

  it('follows the slowest of several readers, and gives each all', async () => {
    let [made, ahead] = [0, 0];
    const eager = source(async function* () {
      for (made = 1; made <= 200; made++) yield { value: made };
    });
    const slow = sink(async (_inputs, { streams }) => {
      let got = 0;
      for await (const chunk of streams.value!) {
        got = Number(chunk);
        await new Promise(setImmediate);
        ahead = Math.max(ahead, made - got);
      }
      return { value: got };
    }, 'test:slow');
    const stored = workflow(
      nodes('test:source', 'test:sink', 'test:slow'),
      ['source.value > sink.value', 'source.value > slow.value', 'sink.value > out.a', 'slow.value > out.b'],
      { outputs: ['a', 'b'] },
    );
    for (const concurrency of [1, 2, 3]) {
      await expect(run(stored, [eager, collecting(), slow], { concurrency })).resolves.toEqual({
        a: upTo(200),
        b: 200,
      });
      expect(ahead).toBeLessThanOrEqual(17);
    }
  });

  it('ends with a reader that has had enough', async () => {
    const log: string[] = [];
    const content = sink(async (_inputs, { streams }) => {
      for await (const chunk of streams.value!) return { value: chunk };
      return { value: null };
    });
    await expect(run(PAIR, [counting(100, log), content], { concurrency: 1 })).resolves.toEqual({ v: 1 });
    expect(log.length).toBe(100);
  });

  it('ends with a reader that ends without reading, and with one that fails', async () => {
    const blind = sink(async () => ({ value: 'unread' }));
    await expect(run(PAIR, [counting(100), blind])).resolves.toEqual({ v: 'unread' });
    const broken = sink(() => {
      throw new Error('broken');
    });
    expect((await failure(run(PAIR, [counting(100), broken])))?.message).toMatch(/'sink'.*broken/);
  });

  it('ends with a reader that outlives its time', async () => {
    const deaf = sink(() => new Promise<JsonObject>(() => {}));
    const stored = {
      ...PAIR,
      nodes: PAIR.nodes.map((node) => (node.id === 'sink' ? { ...node, timeoutMs: 5 } : node)),
    };
    const journal = new MemoryJournal();
    expect((await failure(run(stored, [counting(100), deaf], { journal })))?.type).toBe('TimeoutError');
    expect(journal.entries.get('source')?.status).toBe('succeeded');
  });

  it.each([1, 2, 3, 16])('cannot bring a diamond to a stand, with %i permits', async (concurrency) => {
    // The reader takes the long way first: all of it, before it looks at the short way, which holds the same producer.
    const both = nodeType(
      'test:sink',
      [],
      async (_inputs, { streams }) => {
        const got: Json[] = [];
        for await (const chunk of streams.long!) got.push(chunk);
        for await (const chunk of streams.short!) got.push(chunk);
        return { value: got };
      },
      { inputs: { long: STREAM, short: STREAM } },
    );
    const stored = workflow(
      nodes('test:source', 'test:tenfold', 'test:sink'),
      ['source.value > tenfold.value', 'tenfold.value > sink.long', 'source.value > sink.short', 'sink.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(run(stored, [counting(100), tenfold(), both], { concurrency })).resolves.toEqual({
      v: [...upTo(100).map((n) => n * 10), ...upTo(100)],
    });
  });

  it('cannot bring one producer of two streams to a stand', async () => {
    const twice = nodeType(
      'test:source',
      [],
      async function* () {
        for (let n = 1; n <= 100; n++) yield { a: n, b: -n };
      },
      { outputs: { a: STREAM, b: STREAM } },
    );
    const oneThenOther = nodeType(
      'test:sink',
      [],
      async (_inputs, { streams }) => {
        let sum = 0;
        for await (const chunk of streams.b!) sum += Number(chunk);
        for await (const chunk of streams.a!) sum += Number(chunk) * 2;
        return { value: sum };
      },
      { inputs: { a: STREAM, b: STREAM } },
    );
    const stored = workflow(
      nodes('test:source', 'test:sink'),
      ['source.a > sink.a', 'source.b > sink.b', 'sink.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(run(stored, [twice, oneThenOther], { concurrency: 1 })).resolves.toEqual({ v: 5050 });
  });

  it('leaves room for what a producer runs inside, when its readers have taken all permits', async () => {
    const inner = workflow([{ id: 'n', type: 'test:give' }], ['in.x > n.value', 'n.value > out.y'], {
      id: 'inner',
      inputs: ['x'],
      outputs: ['y'],
    });
    const deep = source(async function* (_inputs, { runWorkflow: runInside }) {
      for (let x = 1; x <= 3; x++) yield { value: await runInside('inner', { x }) };
    });
    const stored = workflow(
      [...nodes('test:source', 'test:sink'), { id: 'b', type: 'test:sink' }],
      ['source.value > sink.value', 'source.value > b.value', 'sink.value > out.v'],
      { outputs: ['v'] },
    );
    const workflows = new Map([['inner', inner]]);
    for (const concurrency of [1, 2]) {
      await expect(run(stored, [deep, give, collecting()], { workflows, concurrency })).resolves.toEqual({
        v: [1, 2, 3],
      });
    }
  });
});

describe('a failure in mid-stream', () => {
  const failing = source(async function* () {
    yield { value: 1 };
    yield { value: 2 };
    await new Promise(setImmediate);
    throw new Error('cut off');
  });

  it('reaches who reads, who is skipped, and is named where it arose', async () => {
    const run1 = options([failing, collecting()]);
    const error = await failure(runWorkflow(PAIR, {}, run1));
    expect(error?.toFailure()).toEqual({
      type: 'NodeError',
      message: "Node 'source' (test:source) failed: cut off",
      details: { nodeId: 'source', nodeType: 'test:source' },
    });
    expect(statuses(run1.events)).toEqual({ source: 'failed', sink: 'skipped' });
  });

  it('ends the stream of a slot that accepts failures, and tells why', async () => {
    const patient = sink(
      async (_inputs, { streams, failures }) => {
        const got: Json[] = [];
        for await (const chunk of streams.value!) got.push(chunk);
        return { value: [got, failures.value?.message ?? null] };
      },
      'test:sink',
      { ...STREAM, acceptsFailure: true },
    );
    await expect(run(PAIR, [failing, patient])).resolves.toEqual({
      v: [[1, 2], "Node 'source' (test:source) failed: cut off"],
    });
  });

  it('undoes what a reader made of the chunks before it, whether it ended early or caught the failure', async () => {
    const early = sink(async (_inputs, { streams }) => {
      for await (const chunk of streams.value!) return { value: chunk };
      return { value: null };
    });
    const careless = sink(async (_inputs, { streams }) => {
      const got: Json[] = [];
      try {
        for await (const chunk of streams.value!) got.push(chunk);
      } catch {
        got.push('caught');
      }
      return { value: got };
    });
    for (const type of [early, careless]) {
      const journal = new MemoryJournal();
      const told = options([failing, type], { journal });
      expect((await failure(runWorkflow(PAIR, {}, told)))?.details).toMatchObject({ nodeId: 'source' });
      expect(statuses(told.events)).toEqual({ source: 'failed', sink: 'skipped' });
      expect([...journal.entries.keys()]).toEqual(['source']);
    }
  });

  it('spares a reader that has not had a permit yet, which gives it to the next', async () => {
    const early = source(async function* () {
      yield { value: JSON.parse('no JSON') };
    });
    const busy = nodeType('test:busy', [], async () => {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      return {};
    });
    const stored = workflow(
      [...nodes('test:source', 'test:busy', 'test:sink'), { id: 'last', type: 'test:busy' }],
      ['source.value > sink.value'],
    );
    const told = options([early, busy, collecting()], { concurrency: 1 });
    expect((await failure(runWorkflow(stored, {}, told)))?.details).toMatchObject({ nodeId: 'source' });
    const states = told.events.flatMap((event) => (event.event === 'node' ? [event.state] : []));
    expect(states.filter(({ nodeId }) => nodeId === 'sink').map(({ status }) => status)).toEqual(['skipped']);
    expect(statuses(told.events)).toMatchObject({ busy: 'succeeded', last: 'succeeded' });
  });

  it('can be rescued behind the reader', async () => {
    const stored = workflow(
      nodes('test:source', 'test:sink', 'test:rescue'),
      ['source.value > sink.value', 'sink.value > rescue.value', 'rescue.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(run(stored, [failing, collecting(), rescue])).resolves.toEqual({
      v: "Node 'source' (test:source) failed: cut off",
    });
  });

  it('reaches nobody where the producer gives something else instead', async () => {
    const stored = {
      ...PAIR,
      nodes: PAIR.nodes.map((node) => (node.id === 'source' ? { ...node, onError: 'continue' as const } : node)),
    };
    await expect(run(stored, [failing, collecting()])).resolves.toEqual({ v: [null] });
  });

  it('is final once a chunk has gone out, and is retried before', async () => {
    let attempts = 0;
    const flaky = source(async function* () {
      attempts++;
      if (attempts === 1) throw new Error('no connection');
      yield { value: attempts };
      if (attempts === 2) throw new Error('cut off');
    });
    const stored = {
      ...PAIR,
      nodes: PAIR.nodes.map((node) => (node.id === 'source' ? { ...node, retry: { attempts: 5 } } : node)),
    };
    expect((await failure(run(stored, [flaky, collecting()])))?.message).toMatch(/cut off/);
    expect(attempts).toBe(2);
    await expect(run(stored, [flaky, collecting()])).resolves.toEqual({ v: [3] });
  });

  it('is not final where nobody has got the chunks, for the node may give something else instead', async () => {
    let attempts = 0;
    const flaky = source(async function* () {
      attempts++;
      yield { value: attempts };
      if (attempts === 1) throw new Error('cut off');
    });
    const more = { onError: 'continue' as const, retry: { attempts: 2 } };
    const stored = { ...PAIR, nodes: PAIR.nodes.map((node) => (node.id === 'source' ? { ...node, ...more } : node)) };
    await expect(run(stored, [flaky, collecting()])).resolves.toEqual({ v: [[2]] });
  });

  it.each<[string, JsonObject, RegExp]>([
    ['an unknown output', { valu: 1 }, /yielded 'valu', which is none of its streamed outputs/],
    ['an output that is no stream', { count: 1 }, /yielded 'count', which is none of its streamed outputs/],
    ['what is no JSON', { value: Number.NaN }, /at \/value is NaN/],
  ])('is an OutputError where a node yields %s', async (_what, chunk, message) => {
    let returned = false;
    const odd = source(async function* () {
      try {
        yield chunk;
        yield { value: 1 };
      } finally {
        returned = true;
      }
    });
    const error = await failure(run(PAIR, [odd, collecting()]));
    expect(error).toMatchObject({ type: 'OutputError', message: expect.stringMatching(message) });
    expect(returned).toBe(true);
  });
});

describe('a streamed output of the workflow', () => {
  const OUT = streaming(workflow(nodes('test:source'), ['source.value > out.v'], { outputs: ['v'] }), 'v');

  it('is told chunk by chunk, and is whole in the result', async () => {
    const told = options([counting(3)]);
    await expect(runWorkflow(OUT, {}, told)).resolves.toEqual({ v: [1, 2, 3] });
    expect(chunksOf(told.events)).toEqual([1, 2, 3]);
    const kinds = told.events.map(({ event }) => event);
    expect(kinds.indexOf('output')).toBeLessThan(kinds.lastIndexOf('node'));
  });

  it('is one chunk where it comes whole', async () => {
    const told = options([give]);
    const stored = workflow([{ id: 'g', type: 'test:give', inputValues: { value: 'all' } }], ['g.value > out.v'], {
      outputs: ['v'],
    });
    await runWorkflow(streaming(stored, 'v'), {}, told);
    expect(chunksOf(told.events)).toEqual(['all']);
  });

  it('streams through node groups', async () => {
    const log: string[] = [];
    const inner = { ...OUT, id: 'inner' };
    const middle = streaming(
      { ...workflow([group('g', 'inner')], ['g.v > out.v'], { outputs: ['v'] }), id: 'middle' },
      'v',
    );
    const outer = streaming(
      workflow([group('g', 'middle'), { id: 'sink', type: 'test:sink' }], ['g.v > sink.value', 'g.v > out.v'], {
        outputs: ['v'],
      }),
      'v',
    );
    const workflows = new Map([
      ['inner', inner],
      ['middle', middle],
    ]);
    const told = options([lockstep(5, log), collecting(log)], { workflows, concurrency: 2 });
    await expect(runWorkflow(outer, {}, told)).resolves.toEqual({ v: [1, 2, 3, 4, 5] });
    expect(chunksOf(told.events)).toEqual([1, 2, 3, 4, 5]);
  });

  it('comes whole out of a group that may be retried', async () => {
    const outer = streaming(
      workflow([{ ...group('g', 'inner'), retry: { attempts: 2 } }], ['g.v > out.v'], { outputs: ['v'] }),
      'v',
    );
    const told = options([counting(3)], { workflows: new Map([['inner', OUT]]) });
    await runWorkflow(outer, {}, told);
    expect(chunksOf(told.events)).toEqual([[1, 2, 3]]);
  });
});

describe('a stream and the journal', () => {
  it('keeps the whole, which a later run takes as one chunk', async () => {
    const journal = new MemoryJournal();
    const stop = new AbortController();
    const deadly = sink(async (_inputs, { streams }) => {
      for await (const chunk of streams.value!) if (chunk === 3) break;
      while (!journal.entries.has('source')) await new Promise(setImmediate);
      stop.abort();
      return {};
    });
    await failure(run(PAIR, [counting(3), deadly], { journal, signal: stop.signal }));
    expect(journal.entries.get('source')).toMatchObject({
      status: 'succeeded',
      result: { value: [1, 2, 3], count: 3 },
    });
    const log: string[] = [];
    await expect(run(PAIR, [counting(3, log), collecting()], { journal })).resolves.toEqual({ v: [[1, 2, 3]] });
    expect(log).toEqual([]);
  });

  it('never holds what was built on something that it does not hold', async () => {
    const written: string[] = [];
    class Watched extends MemoryJournal {
      override async write(states: readonly NodeState[]): Promise<void> {
        written.push(...states.map(({ nodeId }) => nodeId));
        await super.write(states);
      }
    }
    const slow = source(async function* () {
      yield { value: 1 };
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    });
    const early = sink(async (_inputs, { streams }) => {
      for await (const chunk of streams.value!) return { value: chunk };
      return { value: null };
    });
    const stored = workflow(nodes('test:source', 'test:sink', 'test:give'), [
      'source.value > sink.value',
      'sink.value > give.value',
    ]);
    await run(stored, [slow, early, give], { journal: new Watched() });
    expect(written).toEqual(['source', 'sink', 'give']);
  });

  it('does not tell again what it told before a crash', async () => {
    const stored = streaming(
      workflow(
        nodes('test:source', 'test:give'),
        ['source.value > out.v', 'source.count > give.value', 'give.value > out.w'],
        {
          outputs: ['v', 'w'],
        },
      ),
      'v',
    );
    const journal = new MemoryJournal();
    const stop = new AbortController();
    const deadly = nodeType('test:give', ['value'], () => (stop.abort(), {}));
    await failure(run(stored, [counting(2), deadly], { journal, signal: stop.signal }));
    const told = options([counting(2), give], { journal });
    await expect(runWorkflow(stored, {}, told)).resolves.toEqual({ v: [1, 2], w: 2 });
    expect(chunksOf(told.events)).toEqual([]);
  });
});

describe('the end of a run', () => {
  it('tells a generator to return, where it waits for room', async () => {
    const stop = new AbortController();
    let returned!: () => void;
    const ended = new Promise<void>((resolve) => (returned = resolve));
    const endless = source(async function* () {
      try {
        for (let n = 0; ; n++) yield { value: n };
      } finally {
        returned();
      }
    });
    const stuck = sink(async () => {
      setImmediate(() => stop.abort());
      return new Promise<JsonObject>(() => {});
    });
    expect((await failure(run(PAIR, [endless, stuck], { signal: stop.signal })))?.type).toBe('CancelledError');
    await ended;
  });

  it('reaches a generator that nobody holds back', async () => {
    const stop = new AbortController();
    let made = 0;
    const endless = source(async function* () {
      for (;;) yield { value: ++made };
    });
    setImmediate(() => stop.abort());
    const stored = workflow(nodes('test:source'), []);
    expect((await failure(run(stored, [endless], { signal: stop.signal })))?.type).toBe('CancelledError');
    const atEnd = made;
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(made - atEnd).toBeLessThanOrEqual(64);
  });
});

function group(id: string, referencedWorkflowId: string) {
  return { id, type: 'core:NodeGroup', configValues: { referencedWorkflowId } };
}
