import { canonicalJson, isDeeperThan, MAX_DEPTH, setOwn, sizeOf, type JsonObject } from './json.js';
import { isInvocationId, newInvocationId } from './ids.js';
import { isFinal, STATUSES } from './status.js';
import { ERROR_TYPES, toFailure, ToolError } from './tool-error.js';

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe('JSON values', () => {
  it('The depth of a value is its number of levels, and a million levels do not overflow the stack', () => {
    expect([isDeeperThan('x', 0), isDeeperThan([], 0), isDeeperThan({ a: [] }, 1)]).toEqual([false, true, true]);
    expect([isDeeperThan(nested(MAX_DEPTH)), isDeeperThan(nested(MAX_DEPTH + 1))]).toEqual([false, true]);
    let deep: unknown = 1;
    for (let level = 0; level < 1_000_000; level++) deep = [deep];
    expect(isDeeperThan(deep)).toBe(true);
  });

  it('The canonical text of a value has sorted keys', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  });

  it('A property of any name becomes an own property', () => {
    const bag: JsonObject = {};
    for (const name of ['a', '__proto__', 'constructor']) setOwn(bag, name, { of: name });
    expect(JSON.stringify(bag)).toBe(
      '{"a":{"of":"a"},"__proto__":{"of":"__proto__"},"constructor":{"of":"constructor"}}',
    );
    expect(Object.getPrototypeOf(bag)).toBe(Object.prototype);
  });
});

describe('invocation ids', () => {
  it('Invocation ids are unique and sort by time, and within a millisecond by order of creation', () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => newInvocationId(1_000_000 + Math.floor(n / 100)));
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect(ids.every(isInvocationId)).toBe(true);
    expect(['', 'inv_', 'inv_../../etc/passwd/xxxxxxxx', 'inv_0123456789012345678901.1'].some(isInvocationId)).toBe(
      false,
    );
  });
});

describe('the statuses of an invocation', () => {
  it('An invocation has exactly three final statuses', () => {
    expect(STATUSES.filter(isFinal)).toEqual(['succeeded', 'failed', 'cancelled']);
  });

  it('An invocation can still change in exactly three statuses', () => {
    expect(STATUSES.filter((status) => !isFinal(status))).toEqual(['queued', 'running', 'waiting_external']);
  });
});

describe('failures', () => {
  it('A failure holds the data of a ToolError, or the message of any other thrown value', () => {
    expect(toFailure(new ToolError('ScriptError', 'boom', { exitCode: 3 }), 'NodeError')).toEqual({
      type: 'ScriptError',
      message: 'boom',
      details: { exitCode: 3 },
    });
    expect(toFailure(new Error('x'), 'NodeError')).toEqual({ type: 'NodeError', message: 'x' });
    expect(toFailure('y', 'ServiceError')).toEqual({ type: 'ServiceError', message: 'y' });
  });

  it('ServiceError is the only retryable error type', () => {
    expect(
      Object.entries(ERROR_TYPES)
        .filter(([, { retryable }]) => retryable)
        .map(([type]) => type),
    ).toEqual(['ServiceError']);
  });
});

describe('the size of a JSON value', () => {
  it.each<[unknown, number]>([
    [1, 1],
    ['text', 5],
    [[], 1],
    [[1, 'a'], 4],
    [{ name: 'a' }, 7],
    [JSON.parse('{"__proto__": 1}'), 11],
  ])('The size of %j is %i', (value, size) => {
    expect(sizeOf(value, 1_000)).toBe(size);
  });

  it('The count of values stops above its bound', () => {
    expect(
      sizeOf(
        Array.from({ length: 100_000 }, () => [1]),
        10,
      ),
    ).toBeLessThan(20);
    expect(sizeOf([1, 2], 1_000, 10)).toBe(30);
  });
});
