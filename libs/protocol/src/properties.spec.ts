import type { Json, JsonObject, JsonSchema } from '@errand/contracts';
import { toolLookupOf } from '@errand/registry';
import * as fc from 'fast-check';
import { randomRuns } from '../../../test/support/random-runs.js';
import { DIALECT_NAMES, DIALECTS, parse, writeAction, writeTam } from './index.js';

const MARKS = [
  '「始」',
  '「末」',
  '「始ESCAPE」',
  '»»»',
  '«««',
  ']]>',
  '<![CDATA[',
  '</ACTION>',
  '<ACTION>',
  '<b>',
  '&amp;',
  '<|[END_TOOL]|>',
  '<!--',
  '\n',
  ' ',
  '# x',
  'key:「始」',
];
/** Any text for a value without NUL, lone surrogates and templates. */
const text = fc
  .array(fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom(...MARKS)), { maxLength: 5 })
  .map((parts) => parts.join('').replaceAll('\0', '').replaceAll('「末ESCAPE」', '').replaceAll('{{', ''));
const integer = fc.maxSafeInteger();
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => value + 0)
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value));

type Typed = { schema: JsonSchema; value: fc.Arbitrary<Json> };
const scalars: Typed[] = [
  { schema: { type: 'string' }, value: text },
  { schema: { type: 'integer' }, value: integer },
  { schema: { type: 'number' }, value: number },
  { schema: { type: 'boolean' }, value: fc.boolean() },
];
const names = fc.uniqueArray(
  fc.stringMatching(/^[a-z][a-z]{0,6}$/).filter((name) => name !== 'item' && !name.startsWith('command')),
  { minLength: 1, maxLength: 3 },
);

/** Objects with some of these properties. */
function objectOf(parts: readonly (readonly [name: string, kind: Typed])[]): fc.Arbitrary<JsonObject> {
  const record = fc.record(Object.fromEntries(parts.map(([name, kind]) => [name, kind.value])), { requiredKeys: [] });
  return record.map((value): JsonObject => JSON.parse(JSON.stringify(value)));
}

/** A schema and an arbitrary of its values, nested up to `depth` levels. */
function typed(depth: number): fc.Arbitrary<Typed> {
  const scalar = fc.constantFrom(...scalars);
  if (depth === 0) return scalar;
  const list = typed(depth - 1).map((item): Typed => ({
    schema: { type: 'array', items: item.schema },
    value: fc.array(item.value, { maxLength: 3 }),
  }));
  const object = fc
    .tuple(names, fc.array(typed(depth - 1), { minLength: 3, maxLength: 3 }))
    .map(([keys, kinds]): Typed => {
      const parts = keys.map((key, index) => [key, kinds[index]!] as const);
      return {
        schema: { type: 'object', properties: Object.fromEntries(parts.map(([key, kind]) => [key, kind.schema])) },
        value: objectOf(parts),
      };
    });
  return fc.oneof(scalar, list, object);
}

/** The parameters of a tool with valid arguments. */
const callOfTool = fc.tuple(names, fc.array(typed(2), { minLength: 3, maxLength: 3 })).chain(([keys, kinds]) => {
  const parts = keys.map((key, index) => [key, kinds[index]!] as const);
  const parameters: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(parts.map(([key, kind]) => [key, kind.schema])),
  };
  return objectOf(parts).map((args) => ({ parameters, args }));
});

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('The round trip of valid arguments', () => {
  it('Valid arguments in an ACTION block parse back equal', () => {
    fc.assert(
      fc.property(callOfTool, ({ parameters, args }) => {
        const result = parse(writeAction([{ toolId: 't:tool', arguments: args }]), {
          tools: toolLookupOf([{ toolId: 't:tool', parameters }]),
        });
        expect(result.errors).toEqual([]);
        expect(plain(result.calls)).toEqual(plain([{ toolId: 't:tool', arguments: args }]));
      }),
      { numRuns: randomRuns(400) },
    );
  });

  it.each(DIALECT_NAMES)('Valid arguments in a chained %s block parse back equal', (dialect) => {
    const { trims } = DIALECTS[dialect];
    fc.assert(
      fc.property(callOfTool, callOfTool, (first, second) => {
        const given = [first, second].map(({ args }, index) => ({ toolId: `t:tool${'ab'[index]}`, arguments: args }));
        const tools = toolLookupOf(
          [first, second].map(({ parameters }, index) => ({ toolId: given[index]!.toolId, parameters })),
        );
        for (const calls of [[given[0]!], given]) {
          const result = parse(writeTam(calls, dialect), { tools, protocol: dialect });
          const trimmed = calls.map((call) => ({
            ...call,
            arguments: trims ? trimTexts(call.arguments) : call.arguments,
          }));
          expect(result.errors).toEqual([]);
          expect(plain(result.calls)).toEqual(plain(trimmed));
        }
      }),
      { numRuns: randomRuns(200) },
    );
  });
});

/** The effect of a dialect that trims texts. Texts inside lists and objects are JSON and stay unchanged. */
function trimTexts(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]),
  );
}

describe('Arbitrary text', () => {
  const tools = toolLookupOf([
    {
      toolId: 'echo',
      parameters: {
        type: 'object',
        properties: {
          message: { type: 'string' },
          times: { type: 'integer' },
          list: { type: 'array', items: { type: 'string' } },
        },
      },
    },
    { toolId: 'ping', parameters: { type: 'object' } },
  ]);
  const TOKENS = [
    ...MARKS,
    '<|[REQUEST_TOOL]|>',
    '<<<[TOOL_REQUEST]>>>',
    '<<<[END_TOOL_REQUEST]>>>',
    '「末ESCAPE」',
    '<echo>',
    '</echo>',
    '<message>',
    '</message>',
    '<times>2</times>',
    'command:',
    'command1:',
    'message:',
    'message1:',
    'tool_name:',
    'echo',
    'ping',
    '<ping/>',
    ':',
    '：',
    ',',
    'x',
    '=',
    '<think>',
    '</think>',
    '-->',
    '<?',
    '?>',
    '<!DOCTYPE',
    '<tool_id>',
    '</tool_id>',
    '<inputs>',
    '\0',
    '\ud800',
    '{{steps.1.result}}',
    '\r\n',
  ];
  const soup = fc
    .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...TOKENS) }, fc.string()), { maxLength: 40 })
    .map((parts) => parts.join(''));

  it('Parsing arbitrary text never throws and never calls a tool that the text does not name', () => {
    fc.assert(
      fc.property(soup, (given) => {
        const result = parse(given, { tools });
        for (const { toolId, arguments: args } of result.calls) {
          expect(given).toContain(toolId);
          for (const name of Object.keys(args)) expect(given.toLowerCase().replaceAll('_', '')).toContain(name);
        }
        if (result.errors.length > 0) expect(result.calls).toEqual([]);
        for (const { line, column } of [...result.errors, ...result.warnings])
          expect([line > 0, column > 0]).toEqual([true, true]);
      }),
      { numRuns: randomRuns(5_000) },
    );
  });
});
