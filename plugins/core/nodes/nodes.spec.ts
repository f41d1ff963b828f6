import type { Json, JsonObject } from '@errand/contracts';
import { startCpuTime } from '../../../test/support/cpu-time.js';
import { runCoreNode } from '../test/run-core-node.js';

const DEEP: JsonObject = {
  user: { name: 'Ada', tags: ['x', 'y'] },
  items: [{ id: 1 }, { name: 'no id' }, { id: 3 }],
  'odd name': true,
};

const draw = (more: JsonObject) => runCoreNode('core:random', { min: 1, max: 6, ...more });

describe('The core nodes', () => {
  it.each<[string, JsonObject, Json]>([
    ['core:echo', { value: { a: [1, null] } }, { a: [1, null] }],
    ['core:echo', { value: null }, null],
    ['core:math', { op: 'add', a: 2, b: 3 }, 5],
    ['core:math', { op: 'subtract', a: 2, b: 3 }, -1],
    ['core:math', { op: 'multiply', a: 2, b: 3 }, 6],
    ['core:math', { op: 'divide', a: 3, b: 2 }, 1.5],
    ['core:math', { op: 'power', a: 2, b: 10 }, 1024],
    ['core:math', { op: 'modulo', a: 7, b: 4 }, 3],
    [
      'core:template',
      { template: 'Hi {{ user.name }}: {{user.tags}}, {{items.0.id}}', data: DEEP },
      'Hi Ada: ["x","y"], 1',
    ],
    ['core:template', { template: 'no {places} here' }, 'no {places} here'],
    ['core:template', { template: '{{x}}', data: { x: '{{y}} $& $1' } }, '{{y}} $& $1'],
    ['core:join', { parts: ['a', 1, { b: true }], separator: '-' }, 'a-1-{"b":true}'],
    ['core:join', { parts: ['a', 'b'] }, 'ab'],
    ['core:join', { parts: ['a', ['b', ['c']], 1], separator: '-' }, 'a-b-["c"]-1'],
    ['core:join', { parts: [] }, ''],
    ['core:split', { text: 'a, b,c', trim: true }, ['a', 'b', 'c']],
    ['core:split', { text: 'aé😀', separator: '' }, ['a', 'é', '😀']],
    ['core:json-path', { value: DEEP, path: '$' }, DEEP],
    ['core:json-path', { value: DEEP, path: '$.user.tags[1]' }, 'y'],
    ['core:json-path', { value: DEEP, path: 'user.name' }, 'Ada'],
    ['core:json-path', { value: DEEP, path: "$['odd name']" }, true],
    ['core:json-path', { value: DEEP, path: '$.items[*].id' }, [1, 3]],
    ['core:json-path', { value: { a: { x: [1] }, b: { x: [2, 3] } }, path: '$.*.x[*]' }, [1, 2, 3]],
    ['core:json-path', { value: [null], path: '$[0]' }, null],
    ['core:case', { text: 'helloWorld of HTML5', style: 'snake' }, 'hello_world_of_html5'],
    ['core:case', { text: 'hello world', style: 'camel' }, 'helloWorld'],
    ['core:case', { text: "the cat's élan", style: 'title' }, "The Cat's Élan"],
    ['core:case', { text: 'ärger', style: 'capitalize' }, 'Ärger'],
    ['core:case', { text: 'Straße', style: 'upper' }, 'STRASSE'],
    ['core:hash', { text: '' }, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['core:hash', { text: 'abc', algorithm: 'md5', encoding: 'base64' }, 'kAFQmDzST7DWlj99KOF/cg=='],
    ['core:base64', { text: 'é?>' }, 'w6k/Pg=='],
    ['core:base64', { text: 'é?>', urlSafe: true }, 'w6k_Pg'],
    ['core:base64', { text: 'w6k_Pg', mode: 'decode' }, 'é?>'],
    ['core:delay', { ms: 1, value: 'later' }, 'later'],
    ['core:delay', { ms: 0 }, null],
    ['core:if', { condition: true, value: 1 }, { true: 1, false: null }],
    ['core:switch', { key: 'b', value: 1, cases: ['a', 'b'] }, { a: null, b: 1, default: null }],
    ['core:switch', { key: 'z', value: 1, cases: ['a', 'b'] }, { a: null, b: null, default: 1 }],
    ['core:tool', { toolId: 'x:y', arguments: { a: 1 } }, { toolId: 'x:y', args: { a: 1 } }],
  ])('The result of %s for %j is %j', async (type, args, expected) => {
    await expect(runCoreNode(type, args)).resolves.toEqual(expected);
  });

  it.each<[string, JsonObject, string, string]>([
    ['core:math', { op: 'divide', a: 1, b: 0 }, 'NodeError', 'division by zero'],
    ['core:math', { op: 'modulo', a: 1, b: 0 }, 'NodeError', 'division by zero'],
    ['core:math', { op: 'power', a: 10, b: 999 }, 'NodeError', 'the result of 10 power 999 is not a finite number'],
    ['core:math', { op: 'ad', a: 1, b: 0 }, 'ParameterValidationError', "did you mean 'add'?"],
    ['core:math', { op: 'constructor', a: 1, b: 0 }, 'ParameterValidationError', "'op' must be one of add, "],
    ['core:math', { op: 'add', a: '1', b: 0 }, 'ParameterValidationError', "input 'a' must be a number, got a string"],
    [
      'core:template',
      { template: '{{nam}}', data: { name: 1 } },
      'NodeError',
      "{{nam}} cannot be filled: data has no 'nam', did you mean 'name'?",
    ],
    ['core:template', { template: '{{__proto__}}' }, 'NodeError', "data has no '__proto__'"],
    ['core:json-path', { value: DEEP, path: '$.user.nam' }, 'NodeError', "$.user has no 'nam', did you mean 'name'?"],
    ['core:json-path', { value: DEEP, path: '$.items[9]' }, 'NodeError', '$.items has 3 items, so there is no item 9'],
    ['core:json-path', { value: DEEP, path: '$.user[0]' }, 'NodeError', '$.user is not a list'],
    ['core:json-path', { value: DEEP, path: '$.user[' }, 'ParameterValidationError', "'$.user[' is not a JSONPath"],
    ['core:base64', { text: 'ab!', mode: 'decode' }, 'NodeError', 'the text is not base64'],
    ['core:base64', { text: '/w==', mode: 'decode' }, 'NodeError', 'not UTF-8'],
    ['core:delay', { ms: -1 }, 'ParameterValidationError', "'ms' must be from 0 to"],
    ['core:random', { min: 0.2, max: 0.8 }, 'ParameterValidationError', 'no whole number from 0.2 to 0.8'],
    ['core:random', { min: 2, max: 1, integer: false }, 'ParameterValidationError', "'min' (2) is greater"],
    ['core:tool', {}, 'ParameterValidationError', "'toolId' is missing"],
    ['core:echo', { valu: 1 }, 'ParameterValidationError', "did you mean 'value'?"],
  ])('The node %s refuses %j with %s', async (type, args, errorType, message) => {
    await expect(runCoreNode(type, args)).rejects.toMatchObject({
      type: errorType,
      message: expect.stringContaining(message),
    });
  });

  it('core:random returns the same number for the same seed, within its bounds', async () => {
    expect(await draw({ seed: 'a' })).toBe(await draw({ seed: 'a' }));
    const drawn = new Set(await Promise.all(Array.from({ length: 200 }, () => draw({}))));
    expect(drawn).toEqual(new Set([1, 2, 3, 4, 5, 6]));
    const share = Number(await draw({ integer: false, seed: 'b' }));
    expect(share).toBeGreaterThanOrEqual(1);
    expect(share).toBeLessThan(6);
  });

  it.each([42, -7, 0, 0.1, 2.5e-7, Number.MIN_SAFE_INTEGER])(
    'For core:random, the number %s is the same seed as its text',
    async (seed) => {
      const drawn = await draw({ seed, max: 1e9 });
      expect(drawn).toBe(await draw({ seed: String(seed), max: 1e9 }));
      expect(drawn).not.toBe(await draw({ seed: seed + 1, max: 1e9 }));
    },
  );

  it('core:delay ends at once when it is cancelled', async () => {
    const stop = new AbortController();
    const waiting = runCoreNode('core:delay', { ms: 600_000 }, { signal: stop.signal, emit: () => stop.abort() });
    await expect(waiting).rejects.toMatchObject({ type: 'CancelledError' });
  });

  it('The time of core:template is linear in its text for every text', async () => {
    const effortFor = async (size: number) => {
      const text = '{{'.repeat(size) + ' '.repeat(size);
      const spent = startCpuTime();
      await expect(runCoreNode('core:template', { template: text })).resolves.toBe(text);
      return spent();
    };
    // Ten times the text may take ten times the CPU time, not a hundred times. CPU times below 10 ms are not precise.
    const small = Math.max(await effortFor(20_000), 10_000);
    expect((await effortFor(200_000)) / small).toBeLessThan(40);
  });
});
