import type { Json, JsonObject, StoredSlot, StoredWorkflow } from '@errand/contracts';
import {
  PAIR,
  STREAM,
  chunksOf,
  collecting,
  counting,
  group,
  lockstep,
  nodes,
  run,
  sink,
  source,
  streaming,
  tenfold,
  upTo,
} from '../../test/stream-kit.js';
import { failure, give, nodeType, options, workflow } from '../../test/workflow-kit.js';
import { runWorkflow } from '../run/run-workflow.js';

describe('Streams between nodes', () => {
  it.each([1, 2, 16])('A stream delivers all chunks in order with %i permits', async (concurrency) => {
    await expect(run(PAIR, [counting(100), collecting()], { concurrency })).resolves.toEqual({ v: upTo(100) });
  });

  it('A stream delivers each chunk at once', async () => {
    const log: string[] = [];
    await expect(run(PAIR, [lockstep(5, log), collecting(log)])).resolves.toEqual({ v: upTo(5) });
  });

  it('A node that does not read chunks gets the whole stream as one value', async () => {
    const stored = workflow(
      nodes('test:source', 'test:give'),
      ['source.value > give.value', 'give.value > out.v', 'source.count > out.n'],
      { outputs: ['v', 'n'] },
    );
    await expect(run(stored, [counting(3), give])).resolves.toEqual({ v: [1, 2, 3], n: 3 });
  });

  it.each<[string, Json[], StoredSlot, Json]>([
    ['texts are joined', ['a', 'b', 'ü'], STREAM, 'abü'],
    ['texts and other values form a list', ['a', 1, null], STREAM, ['a', 1, null]],
    ['no chunk is an empty text for a text output', [], { dataFlowType: 'STRING', isStream: true }, ''],
    ['no chunk is an empty list for other outputs', [], STREAM, []],
  ])('A stream becomes one value at its end: %s', async (_what, chunks, slot, whole) => {
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

  it('A stream becomes the value that the generator returns for its output', async () => {
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
  ])('A reader gets %s as one chunk', async (_what, more) => {
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

  it('A stream input without a value has no chunks and is not among the inputs', async () => {
    const type = sink(async (inputs, { streams }) => {
      const got: Json[] = [];
      for await (const chunk of streams.value!) got.push(chunk);
      return { value: [got, Object.keys(inputs)] };
    });
    const stored = workflow(nodes('test:sink'), ['sink.value > out.v'], { outputs: ['v'] });
    await expect(run(stored, [type])).resolves.toEqual({ v: [[], []] });
  });

  it('A required stream input without a value is reported as missing', async () => {
    const type = sink(async () => ({}), 'test:sink', { ...STREAM, required: true });
    const error = await failure(run(workflow(nodes('test:sink'), []), [type]));
    expect(error).toMatchObject({ type: 'ParameterValidationError', message: /input 'value' is missing/ });
  });

  it('Several streams into one input are read one after the other', async () => {
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

  it('A stream passes through nodes that read and write chunks', async () => {
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

  it('A stream passes through a chain of 1,000 nodes', async () => {
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

  it('A reader begins when its other inputs exist and misses no chunk', async () => {
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

  it('A reader that also waits for another output of its producer gets all chunks', async () => {
    const stored = workflow(
      nodes('test:source', 'test:sink'),
      ['source.value > sink.value', 'source.count > sink.other', 'sink.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(run(stored, [counting(100), collecting()], { concurrency: 1 })).resolves.toEqual({ v: upTo(100) });
  });
});

describe('Streamed outputs of a workflow', () => {
  const OUT = streaming(workflow(nodes('test:source'), ['source.value > out.v'], { outputs: ['v'] }), 'v');

  it('A streamed output is emitted in chunks and is whole in the result', async () => {
    const runOptions = options([counting(3)]);
    await expect(runWorkflow(OUT, {}, runOptions)).resolves.toEqual({ v: [1, 2, 3] });
    expect(chunksOf(runOptions.events)).toEqual([1, 2, 3]);
    const kinds = runOptions.events.map(({ event }) => event);
    expect(kinds.indexOf('output')).toBeLessThan(kinds.lastIndexOf('node'));
  });

  it('A streamed output that gets a whole value is one chunk', async () => {
    const runOptions = options([give]);
    const stored = workflow([{ id: 'g', type: 'test:give', inputValues: { value: 'all' } }], ['g.value > out.v'], {
      outputs: ['v'],
    });
    await runWorkflow(streaming(stored, 'v'), {}, runOptions);
    expect(chunksOf(runOptions.events)).toEqual(['all']);
  });

  it('A streamed output passes through node groups', async () => {
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
    const runOptions = options([lockstep(5, log), collecting(log)], { workflows, concurrency: 2 });
    await expect(runWorkflow(outer, {}, runOptions)).resolves.toEqual({ v: [1, 2, 3, 4, 5] });
    expect(chunksOf(runOptions.events)).toEqual([1, 2, 3, 4, 5]);
  });

  it('A group that may be retried emits its streamed output as one chunk', async () => {
    const outer = streaming(
      workflow([{ ...group('g', 'inner'), retry: { attempts: 2 } }], ['g.v > out.v'], { outputs: ['v'] }),
      'v',
    );
    const runOptions = options([counting(3)], { workflows: new Map([['inner', OUT]]) });
    await runWorkflow(outer, {}, runOptions);
    expect(chunksOf(runOptions.events)).toEqual([[1, 2, 3]]);
  });
});

describe('Streams at the end of a run', () => {
  it('A cancelled run ends a generator that waits for its reader', async () => {
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

  it('A cancelled run ends a generator without a reader', async () => {
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
