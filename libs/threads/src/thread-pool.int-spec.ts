import { join } from 'node:path';
import type { SampleTask } from '../test/sample-thread.js';
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

  it('A file that cannot be loaded is an error of the task', async () => {
    const broken = new ThreadPool({ file: join(__dirname, 'no-such-file'), threads: 1, memoryMb: 64 });
    await expect(broken.run({}, LONG)).rejects.toThrow('Cannot find module');
    await broken.close();
  });
});
