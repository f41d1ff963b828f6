import type { Json, JsonObject, NodeState } from '@errand/contracts';
import {
  PAIR,
  chunksOf,
  collecting,
  counting,
  nodes,
  run,
  sink,
  source,
  streaming,
  STREAM,
} from '../../test/stream-kit.js';
import { failure, give, nodeType, options, rescue, statuses, workflow } from '../../test/workflow-kit.js';
import { MemoryJournal } from '../journal/node-journal.js';
import { runWorkflow } from '../run/run-workflow.js';

describe('Failures of a stream', () => {
  const failing = source(async function* () {
    yield { value: 1 };
    yield { value: 2 };
    await new Promise(setImmediate);
    throw new Error('cut off');
  });

  it('A failed stream skips its reader and names its producer', async () => {
    const run1 = options([failing, collecting()]);
    const error = await failure(runWorkflow(PAIR, {}, run1));
    expect(error?.toFailure()).toEqual({
      type: 'NodeError',
      message: "Node 'source' (test:source) failed: cut off",
      details: { nodeId: 'source', nodeType: 'test:source' },
    });
    expect(statuses(run1.events)).toEqual({ source: 'failed', sink: 'skipped' });
  });

  it('A slot that accepts failures gets the chunks, the end of the stream and the failure', async () => {
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

  it('A failed stream skips its reader, even if the reader ended early or caught the failure', async () => {
    const earlyReader = sink(async (_inputs, { streams }) => {
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
    for (const type of [earlyReader, careless]) {
      const journal = new MemoryJournal();
      const runOptions = options([failing, type], { journal });
      expect((await failure(runWorkflow(PAIR, {}, runOptions)))?.details).toMatchObject({ nodeId: 'source' });
      expect(statuses(runOptions.events)).toEqual({ source: 'failed', sink: 'skipped' });
      expect([...journal.entries.keys()]).toEqual(['source']);
    }
  });

  it('A failed stream skips a reader that still waits for a permit, and the next node gets the permit', async () => {
    const earlyReader = source(async function* () {
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
    const runOptions = options([earlyReader, busy, collecting()], { concurrency: 1 });
    expect((await failure(runWorkflow(stored, {}, runOptions)))?.details).toMatchObject({ nodeId: 'source' });
    const states = runOptions.events.flatMap((event) => (event.event === 'node' ? [event.state] : []));
    expect(states.filter(({ nodeId }) => nodeId === 'sink').map(({ status }) => status)).toEqual(['skipped']);
    expect(statuses(runOptions.events)).toMatchObject({ busy: 'succeeded', last: 'succeeded' });
  });

  it('A node behind the reader can catch the failure of a stream', async () => {
    const stored = workflow(
      nodes('test:source', 'test:sink', 'test:rescue'),
      ['source.value > sink.value', 'sink.value > rescue.value', 'rescue.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(run(stored, [failing, collecting(), rescue])).resolves.toEqual({
      v: "Node 'source' (test:source) failed: cut off",
    });
  });

  it('The reader does not see a failure that the producer replaces with a default', async () => {
    const stored = {
      ...PAIR,
      nodes: PAIR.nodes.map((node) => (node.id === 'source' ? { ...node, onError: 'continue' as const } : node)),
    };
    await expect(run(stored, [failing, collecting()])).resolves.toEqual({ v: [null] });
  });

  it('A failed stream is retried only before its first chunk is emitted', async () => {
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

  it('A failed stream whose chunks nobody read is retried', async () => {
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
    ['an unknown output', { valu: 1 }, /yielded 'valu', which is not one of its streamed outputs/],
    ['an output that is not a stream', { count: 1 }, /yielded 'count', which is not one of its streamed outputs/],
    ['a value that is not JSON', { value: Number.NaN }, /at \/value is NaN/],
  ])('A node that yields %s fails with an OutputError', async (_what, chunk, message) => {
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

describe('Streams and the journal', () => {
  it('The journal keeps the whole stream, and a later run reads it as one chunk', async () => {
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

  it('The journal contains no result before the results that it depends on', async () => {
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
    const earlyReader = sink(async (_inputs, { streams }) => {
      for await (const chunk of streams.value!) return { value: chunk };
      return { value: null };
    });
    const stored = workflow(nodes('test:source', 'test:sink', 'test:give'), [
      'source.value > sink.value',
      'sink.value > give.value',
    ]);
    await run(stored, [slow, earlyReader, give], { journal: new Watched() });
    expect(written).toEqual(['source', 'sink', 'give']);
  });

  it('A run does not emit chunks again after a crash', async () => {
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
    const runOptions = options([counting(2), give], { journal });
    await expect(runWorkflow(stored, {}, runOptions)).resolves.toEqual({ v: [1, 2], w: 2 });
    expect(chunksOf(runOptions.events)).toEqual([]);
  });
});
