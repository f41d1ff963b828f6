import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually.js';
import { LOADED, LOADING, type SampleTask } from '../test/sample-thread.js';
import { ThreadMemoryError, ThreadTimeoutError } from './thread-errors.js';
import { ThreadPool } from './thread-pool.js';

const file = join(__dirname, '../test/sample-thread');
const LONG = { timeoutMs: 300_000 };

describe('A pool of threads', () => {
  let pool: ThreadPool<SampleTask, unknown>;
  beforeEach(() => {
    pool = new ThreadPool({ file, threads: 2, memoryMb: 64 });
  });
  afterEach(() => pool.close());

  const isAlive = () => expect(pool.run({ do: 'echo', value: 'alive' }, LONG)).resolves.toBe('alive');

  it('A task gets its argument and returns its result', async () => {
    const value = { a: [1, null, 'x'], ['__proto__']: 1 };
    await expect(pool.run({ do: 'echo', value }, LONG)).resolves.toEqual(value);
  });

  it.each<[string, SampleTask]>([
    ['an endless loop', { do: 'spin' }],
    ['an endless match of a pattern', { do: 'match', pattern: '^(a+)+$', text: `${'a'.repeat(60)}b` }],
  ])('The pool ends a task with %s at its time limit without blocking the event loop', async (_, task) => {
    let turns = 0;
    const ticker = setInterval(() => turns++, 1);
    const failure = pool.run(task, { timeoutMs: 200 });
    await expect(failure).rejects.toEqual(new ThreadTimeoutError(200));
    clearInterval(ticker);
    expect(turns).toBeGreaterThan(2);
    await isAlive();
  });

  it('A task that fills its memory fails alone', async () => {
    await expect(pool.run({ do: 'fill' }, LONG)).rejects.toEqual(new ThreadMemoryError(64));
    await isAlive();
  });

  it('An error of a task keeps its type and message', async () => {
    await expect(pool.run({ do: 'throw', message: 'no such place' }, LONG)).rejects.toEqual(
      new RangeError('no such place'),
    );
  });

  it('A task that ends its thread fails, and the next task gets a new thread', async () => {
    await expect(pool.run({ do: 'exit' }, LONG)).rejects.toThrow('worker exited with code: 3');
    await isAlive();
  });

  it('An abort ends a running task and a waiting one', async () => {
    const stop = new AbortController();
    const reason = new Error('cancelled');
    const tasks = Array.from({ length: 5 }, () => pool.run({ do: 'spin' }, { ...LONG, signal: stop.signal }));
    const ends = Promise.allSettled(tasks);
    stop.abort(reason);
    expect(await ends).toEqual(tasks.map(() => ({ status: 'rejected', reason })));
    await expect(pool.run({ do: 'echo', value: 1 }, { ...LONG, signal: stop.signal })).rejects.toBe(reason);
    await isAlive();
  });

  it('Tasks with different keys take turns', async () => {
    const single = new ThreadPool<SampleTask, unknown>({ file, threads: 1, memoryMb: 64 });
    const order: string[] = [];
    const add = (key: string) => single.run({ do: 'echo', value: key }, { ...LONG, key }).then(() => order.push(key));
    await Promise.all([...Array.from({ length: 20 }, () => add('many')), add('few'), add('few')]);
    expect(order.slice(0, 5)).toEqual(['many', 'many', 'few', 'many', 'few']);
    await single.close();
  });

  it('A closed pool rejects running, waiting and later tasks', async () => {
    const ends = Promise.allSettled(Array.from({ length: 4 }, () => pool.run({ do: 'spin' }, LONG)));
    await pool.close();
    const closed = { status: 'rejected', reason: new Error('the thread pool is closed') };
    expect(await ends).toEqual([closed, closed, closed, closed]);
    await expect(pool.run({ do: 'spin' }, LONG)).rejects.toThrow('the thread pool is closed');
  });

  // Node.js 20 aborts the process if a thread ends while its `require` links an ES module.
  describe('A thread that is loading modules', () => {
    const steps = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const finishLoad = () => {
      Atomics.store(steps, 0, LOADED);
      Atomics.notify(steps, 0);
    };
    let single: ThreadPool<SampleTask, unknown>;
    beforeEach(() => {
      single = new ThreadPool({ file, threads: 1, memoryMb: 64 });
      Atomics.store(steps, 0, 0);
    });
    afterEach(() => single.close());

    async function load(signal?: AbortSignal): Promise<{ end: Promise<unknown> }> {
      const end = single.run({ do: 'load', steps }, { ...LONG, ...(signal && { signal }) }).catch((error) => error);
      await eventually(() => Atomics.load(steps, 0) === LOADING);
      return { end };
    }

    it('takes the next task after an abort of its first one', async () => {
      const thread = await single.run({ do: 'tell thread' }, LONG);
      const stop = new AbortController();
      const { end } = await load(stop.signal);
      stop.abort(new Error('cancelled'));
      const next = single.run({ do: 'tell thread' }, LONG);
      finishLoad();
      expect(await end).toEqual(new Error('cancelled'));
      expect(await next).toBe(thread);
    });

    it('ends after that when the pool closes', async () => {
      const { end } = await load();
      let isClosed = false;
      const closing = single.close().then(() => (isClosed = true));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(isClosed).toBe(false);
      finishLoad();
      expect(await end).toEqual(new Error('the thread pool is closed'));
      await closing;
    });
  });

  it('A file that cannot be loaded is an error of the task', async () => {
    const broken = new ThreadPool({ file: join(__dirname, 'no-such-file'), threads: 1, memoryMb: 64 });
    await expect(broken.run({}, LONG)).rejects.toThrow('Cannot find module');
    await broken.close();
  });
});
