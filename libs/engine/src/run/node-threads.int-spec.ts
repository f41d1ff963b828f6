import { join } from 'node:path';
import type { JsonObject } from '@errand/contracts';
import { NodeThreads, packComputation } from '../index.js';

const MODULE = join(__dirname, '../../test/sample-computation');
const LIMITS = { timeoutMs: 60_000, what: 'the sample', advice: 'do less' };

describe('The threads in which nodes compute', () => {
  const threads = new NodeThreads(1);
  const { signal } = new AbortController();
  afterAll(() => threads.close());

  const compute = (input: JsonObject, more: Partial<typeof LIMITS> & { module?: string } = {}) =>
    threads.run(packComputation({ module: MODULE, input, ...LIMITS, ...more }), { key: 'tenant', signal });

  it.each(['echo', 'later'])('The result of %s comes back unchanged', async (work) => {
    const odd = JSON.parse('{"__proto__": {"a": [1, null, "é😀"]}, "constructor": -1.5, "": false}') as JsonObject;
    const result = await compute({ do: work, odd, text: 'a', number: 1e300, none: null });
    expect(result).toEqual({ do: work, odd, text: 'a', number: 1e300, none: null });
    expect(JSON.stringify(result['odd'])).toBe(JSON.stringify(odd));
    expect(Object.getPrototypeOf(result['odd'])).toBe(Object.prototype);
  });

  it.each<[string, string, string]>([
    ['values', 'ResourceLimitError', 'The result is larger than 10000000 characters'],
    ['text', 'ResourceLimitError', 'The result is larger than 10000000 characters'],
    ['nan', 'OutputError', 'The value at /list/0 is NaN, which is not a JSON value'],
    ['list', 'OutputError', 'did not return an object'],
    ['deep', 'OutputError', 'nests deeper than 64 levels'],
    ['fail', 'SecurityError', 'not allowed'],
    ['crash', 'NodeError', 'out of range'],
  ])('A computation that does %s fails with %s, and the next one runs', async (work, type, message) => {
    await expect(compute({ do: work })).rejects.toMatchObject({ type, message: expect.stringContaining(message) });
    await expect(compute({ do: 'echo' })).resolves.toEqual({ do: 'echo' });
  });

  it('A computation that fills its memory fails alone, with the limit and the advice', async () => {
    const small = new NodeThreads(1, 64);
    const run = (input: JsonObject) =>
      small.run(packComputation({ module: MODULE, input, ...LIMITS }), { key: 'tenant', signal });
    await expect(run({ do: 'fill' })).rejects.toMatchObject({
      type: 'ResourceLimitError',
      message: 'the sample needed more than 64 MB of memory; do less',
    });
    await expect(run({ do: 'echo' })).resolves.toEqual({ do: 'echo' });
    await small.close();
  });

  it('A computation that exceeds its time fails with the limit and the advice', async () => {
    await expect(compute({ do: 'spin' }, { timeoutMs: 100 })).rejects.toMatchObject({
      type: 'TimeoutError',
      message: 'the sample took longer than 100 ms; do less',
    });
  });

  it('A computation that ends its thread fails, and the next one runs', async () => {
    await expect(compute({ do: 'exit' })).rejects.toThrow('exited');
    await expect(compute({ do: 'echo' })).resolves.toEqual({ do: 'echo' });
  });

  it('A missing module is an error of the computation', async () => {
    await expect(compute({}, { module: join(__dirname, 'no-such-module') })).rejects.toMatchObject({
      type: 'NodeError',
      message: expect.stringContaining('Cannot find module'),
    });
  });

  it('Threads that close fail their computations with an error that a retry may fix', async () => {
    const closing = new NodeThreads(1);
    const packed = packComputation({ module: MODULE, input: { do: 'spin' }, ...LIMITS });
    const ends = Promise.allSettled([1, 2].map(() => closing.run(packed, { key: 'tenant', signal })));
    await closing.close();
    for (const end of await ends)
      expect(end).toMatchObject({ reason: { type: 'ServiceError', message: 'The worker is ending' } });
  });
});
