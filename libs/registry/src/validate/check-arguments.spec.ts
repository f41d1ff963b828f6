import type { JsonObject, JsonSchema, Problem, ToolInterface } from '@errand/contracts';
import { startCpuTime } from '../../../../test/support/cpu-time.js';
import { readParameters } from '../load/read-parameters.js';
import { validateArguments } from './check-arguments.js';

function toolWith(parameters: JsonSchema): ToolInterface {
  const { schema, problems } = readParameters(parameters);
  expect(problems).toEqual([]);
  return {
    toolId: 'a:b',
    version: '1.0.0',
    displayName: 'B',
    description: '',
    kind: 'node',
    parameters: schema,
    tags: [],
  };
}

const validate = (parameters: JsonSchema, args: JsonObject) => validateArguments(toolWith(parameters), args);
const problemsOf = (parameters: JsonSchema, args: JsonObject): Problem[] => validate(parameters, args).problems;
const messagesOf = (parameters: JsonSchema, args: JsonObject) =>
  problemsOf(parameters, args).map(({ message }) => message);

const player: JsonSchema = {
  properties: {
    player_id: { type: 'string' },
    count: { type: 'integer', minimum: 1, defaultValue: 5 },
    color: { type: 'string', enum: ['red', 'green', 'blue'] },
    place: {
      type: 'object',
      properties: { x: { type: 'number', default: 0 }, y: { type: 'number' } },
      required: ['y'],
    },
  },
  required: ['player_id'],
};

describe('Default values', () => {
  it('Defaults are filled in, also inside objects and from `defaultValue`', () => {
    const given = { player_id: 'p', place: { y: 1 } };
    expect(validate(player, given)).toEqual({
      arguments: { player_id: 'p', count: 5, place: { x: 0, y: 1 } },
      problems: [],
    });
    expect(given).toEqual({ player_id: 'p', place: { y: 1 } });
  });

  it('A filled-in default is not shared between calls', () => {
    const tool = toolWith({ properties: { list: { type: 'array', default: [] } } });
    const first = validateArguments(tool, {}).arguments;
    if (Array.isArray(first.list)) first.list.push(1);
    expect(first).toEqual({ list: [1] });
    expect(validateArguments(tool, {}).arguments).toEqual({ list: [] });
  });
});

describe('Problems of arguments', () => {
  it('All problems are reported together with plain messages and paths', () => {
    expect(problemsOf(player, { playerId: 'p', count: '5', color: 'gren', place: {} })).toEqual([
      { path: '/player_id', message: "Missing required parameter 'player_id'" },
      { path: '/count', message: "'count' must be an integer, got a string" },
      { path: '/color', message: "'color' must be one of red, green, blue", suggestion: 'green' },
      { path: '/place/y', message: "Missing required parameter 'place.y'" },
      { path: '/playerId', message: "Unknown parameter 'playerId'", suggestion: 'player_id' },
    ]);
  });

  const cases: [schema: JsonSchema, value: JsonObject[string], message: string][] = [
    [{ type: ['string', 'null'] }, 4, "'v' must be a string or null, got an integer"],
    [{ type: 'boolean' }, 'true', "'v' must be a boolean (true or false), got a string"],
    [{ minimum: 1 }, 0, "'v' must be at least 1, got 0"],
    [{ maximum: 1 }, 2, "'v' must be at most 1, got 2"],
    [{ exclusiveMinimum: 1 }, 1, "'v' must be greater than 1, got 1"],
    [{ exclusiveMaximum: 1 }, 1, "'v' must be less than 1, got 1"],
    [{ multipleOf: 5 }, 7, "'v' must be a multiple of 5, got 7"],
    [{ minLength: 1 }, '', "'v' must have at least 1 character, has 0"],
    [{ maxLength: 2 }, '👍👍👍', "'v' must have at most 2 characters, has 3"],
    [{ minItems: 2 }, [1], "'v' must have at least 2 items, has 1"],
    [{ maxItems: 1 }, [1, 2], "'v' must have at most 1 item, has 2"],
    [{ uniqueItems: true }, [{ a: 1 }, 2, { a: 1 }], "'v' must not hold the same item twice: items 0 and 2 are equal"],
    [{ minProperties: 2 }, { a: 1 }, "'v' must have at least 2 properties, has 1"],
    [{ maxProperties: 0 }, { a: 1 }, "'v' must have at most 0 properties, has 1"],
    [{ pattern: '^a+$' }, 'b', "'v' must match the pattern ^a+$, got b"],
    [{ format: 'date' }, '2026-13-01', "'v' must be a valid date, got 2026-13-01"],
    [{ const: 'x y' }, 'z', `'v' must be "x y"`],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, "Missing required parameter 'v.b', which goes with 'v.a'"],
    [{ items: { type: 'object', required: ['n'] } }, [{ n: 1 }, {}], "Missing required parameter 'v[1].n'"],
    [{ additionalProperties: false, properties: { name: {} } }, { nam: 1 }, "Unknown parameter 'v.nam'"],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "'v' may not have the name 'ab'"],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, true, "'v' must be a string or an integer, got a boolean"],
    [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, 'c', "'v' must be one of a, b"],
    [
      { anyOf: [{ type: 'string', maxLength: 1 }, { type: 'integer' }] },
      'ab',
      "'v' must have at most 1 character, has 2",
    ],
    [
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      1,
      "'v' must fit just one of 2 forms; numbers 1 and 2 both fit",
    ],
    [
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      "'v' must fit one of 2 forms: (1) Missing required parameter 'v.a'; (2) Missing required parameter 'v.b'",
    ],
    [{ anyOf: [{ $ref: '#/$defs/point' }, { type: 'null' }] }, { x: '1' }, "'v.x' must be a number, got a string"],
    [{ if: { required: ['a'] }, else: { required: ['b'] } }, {}, "Missing required parameter 'v.b'"],
  ];
  it.each(cases)('The schema %j refuses %j', (schema, value, message) => {
    const $defs = { point: { type: 'object', properties: { x: { type: 'number' } } } };
    expect(messagesOf({ properties: { v: schema }, $defs }, { v: value })).toEqual([message]);
  });
});

describe('Unknown parameters', () => {
  it('Unknown parameters are allowed if the schema allows them', () => {
    expect(problemsOf({ additionalProperties: true }, { x: 1 })).toEqual([]);
    expect(messagesOf({ additionalProperties: { type: 'string' } }, { x: 1 })).toEqual([
      "'x' must be a string, got an integer",
    ]);
    expect(messagesOf({ patternProperties: { '^x': {} } }, { x1: 1, y: 1 })).toEqual(["Unknown parameter 'y'"]);
  });

  it('Parameters that a combined schema declares are not unknown', () => {
    const schema = {
      allOf: [{ properties: { a: { type: 'string' } } }],
      anyOf: [{ properties: { b: { type: 'string' } } }],
    };
    expect(problemsOf(schema, { a: 'x', b: 'y' })).toEqual([]);
    expect(messagesOf(schema, { a: 'x', c: 1 })).toEqual(["Unknown parameter 'c'"]);
    expect(messagesOf(schema, { b: 1 })).toEqual(["'b' must be a string, got an integer"]);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])('The name %s is unknown', (name) => {
    const args = JSON.parse(`{"${name}": {"polluted": true}}`);
    const combined = { anyOf: [{ properties: { b: {} } }] };
    for (const schema of [{}, combined]) {
      expect(problemsOf(schema, args)).toEqual([{ path: `/${name}`, message: `Unknown parameter '${name}'` }]);
    }
    expect('polluted' in {}).toBe(false);
  });

  it('A required parameter is searched only among own properties', () => {
    expect(messagesOf({ properties: { valueOf: {} }, required: ['valueOf'] }, {})).toEqual([
      "Missing required parameter 'valueOf'",
    ]);
  });
});

test('A text that resembles a template is validated as a text', () => {
  const schema: JsonSchema = { properties: { n: { type: 'integer' }, s: { type: 'string' }, c: { enum: ['a'] } } };
  const template = '{{steps.1.result}}';
  expect(messagesOf(schema, { n: template, s: template, c: template })).toEqual([
    "'n' must be an integer, got a string",
    "'c' must be one of a",
  ]);
});

describe('The given arguments', () => {
  const bare = (value: object): JsonObject => Object.assign(Object.create(null), value);

  it('The same arguments object is returned if no default is filled in', () => {
    const tool = toolWith({ properties: { text: { type: 'string' }, place: { type: 'object' } } });
    const args = bare({ text: 'x', place: bare({ a: 1 }) });
    expect(validateArguments(tool, args).arguments).toBe(args);
  });

  it('Objects without a prototype are compared by content', () => {
    const schema: JsonSchema = { properties: { place: { enum: [{ x: 1 }] }, list: { uniqueItems: true } } };
    expect(problemsOf(schema, bare({ place: bare({ x: 1 }), list: [bare({}), bare({ a: 1 })] }))).toEqual([]);
    expect(messagesOf(schema, bare({ list: [bare({ a: 1 }), bare({ a: 1 })] }))).toEqual([
      "'list' must not hold the same item twice: items 0 and 1 are equal",
    ]);
  });
});

describe('Hostile arguments', () => {
  it('Arguments that nest deeper than 64 levels are refused first', () => {
    let deep: JsonObject = {};
    for (let depth = 0; depth < 100_000; depth++) deep = { deep };
    expect(messagesOf({ additionalProperties: true }, deep)).toEqual(['The arguments nest deeper than 64 levels']);
  });

  it('Arguments that are not an object are refused', () => {
    expect(messagesOf({}, JSON.parse('[]'))).toEqual(['The arguments must be an object']);
  });

  it('At most 100 problems are reported', () => {
    expect(
      problemsOf({ properties: { l: { items: { type: 'string' } } } }, { l: Array.from({ length: 5000 }, () => 1) }),
    ).toHaveLength(100);
  });
});

describe('Arguments with many mistakes', () => {
  const choice: JsonSchema = {
    anyOf: [{ type: 'integer' }, { type: 'object', properties: { k: { type: 'integer' } } }],
  };

  /** The ratio of CPU times for 16 times the size: linear is 16, quadratic is 256. The best of five runs counts. */
  function growth(argsOf: (size: number) => JsonObject): number {
    const tool = toolWith({ properties: { l: { items: choice } }, additionalProperties: choice });
    const best = (args: JsonObject) =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const spent = startCpuTime();
          validateArguments(tool, args);
          return spent();
        }),
      );
    best(argsOf(2000));
    return best(argsOf(32_000)) / best(argsOf(2000));
  }

  it.each<[what: string, argsOf: (size: number) => JsonObject]>([
    ['wrong items', (size) => ({ l: Array.from({ length: size }, () => ({ k: 'x' })) })],
    [
      'wrong parameters',
      (size) => Object.fromEntries(Array.from({ length: size }, (_item, index) => [`p${index}`, 'x'])),
    ],
  ])('Many %s take linear time', (_what, argsOf) => {
    expect(growth(argsOf)).toBeLessThan(64);
  });
});
