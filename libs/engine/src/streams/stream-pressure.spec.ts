import type { Json, JsonObject } from '@errand/contracts';
import { PAIR, STREAM, collecting, counting, nodes, run, sink, source, tenfold, upTo } from '../../test/stream-kit.js';
import { failure, give, nodeType, workflow } from '../../test/workflow-kit.js';
import { MemoryJournal } from '../journal/node-journal.js';

/** A producer of `count` chunks, a slow reader, and the furthest lead of the producer in chunks. */
function race(count: number, readerType?: string) {
  let [made, furthest] = [0, 0];
  const eager = source(async function* () {
    for (made = 1; made <= count; made++) yield { value: made };
  });
  const slow = sink(async (_inputs, { streams }) => {
    let got = 0;
    for await (const chunk of streams.value!) {
      got = Number(chunk);
      await new Promise(setImmediate);
      furthest = Math.max(furthest, made - got);
    }
    return { value: got };
  }, readerType);
  return { eager, slow, ahead: () => furthest };
}

describe('The back-pressure of streams', () => {
  it('A producer stays at most 17 chunks ahead of a slow reader', async () => {
    const { eager, slow, ahead } = race(500);
    await expect(run(PAIR, [eager, slow])).resolves.toEqual({ v: 500 });
    expect(ahead()).toBeLessThanOrEqual(17);
  });

  it('A producer follows its slowest reader, and each reader gets all chunks', async () => {
    const { eager, slow, ahead } = race(200, 'test:slow');
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
      expect(ahead()).toBeLessThanOrEqual(17);
    }
  });

  it('A reader that stops early does not block the producer', async () => {
    const log: string[] = [];
    const content = sink(async (_inputs, { streams }) => {
      for await (const chunk of streams.value!) return { value: chunk };
      return { value: null };
    });
    await expect(run(PAIR, [counting(100, log), content], { concurrency: 1 })).resolves.toEqual({ v: 1 });
    expect(log.length).toBe(100);
  });

  it('A reader that ends without reading or fails does not block the producer', async () => {
    const blind = sink(async () => ({ value: 'unread' }));
    await expect(run(PAIR, [counting(100), blind])).resolves.toEqual({ v: 'unread' });
    const broken = sink(() => {
      throw new Error('broken');
    });
    expect((await failure(run(PAIR, [counting(100), broken])))?.message).toMatch(/'sink'.*broken/);
  });

  it('A reader that exceeds its time limit does not block the producer', async () => {
    const ignoringSignal = sink(() => new Promise<JsonObject>(() => {}));
    const stored = {
      ...PAIR,
      nodes: PAIR.nodes.map((node) => (node.id === 'sink' ? { ...node, timeoutMs: 5 } : node)),
    };
    const journal = new MemoryJournal();
    expect((await failure(run(stored, [counting(100), ignoringSignal], { journal })))?.type).toBe('TimeoutError');
    expect(journal.entries.get('source')?.status).toBe('succeeded');
  });

  it.each([1, 2, 3, 16])('A diamond of streams does not deadlock with %i permits', async (concurrency) => {
    // The reader reads the long path to its end first. The short path comes from the same producer.
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

  it('A producer of two streams does not deadlock', async () => {
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

  it('The readers of a stream leave a permit for the inner workflows of their producer', async () => {
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
