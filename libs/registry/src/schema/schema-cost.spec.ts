import type { Json, JsonObject, JsonSchema, Problem, ToolInterface } from '@errand/contracts';
import { SCHEMA_ATTACKS, type SchemaAttack } from '../../test/schema-attacks.js';
import { readParameters } from '../load/read-parameters.js';
import { validateArguments } from '../validate/check-arguments.js';
import { validateOutput } from '../validate/validate-output.js';

const TOOL: ToolInterface = {
  toolId: 'a:b',
  version: '1.0.0',
  displayName: '',
  description: '',
  kind: 'node',
  parameters: {},
  tags: [],
};

const STOPPED = /must take fewer steps|refers to itself without end/;

/** The outcome of an attack, in the terms of the table. */
function outcomeOf(schema: JsonSchema, problems: readonly Problem[]): SchemaAttack['outcome'] {
  if (readParameters(schema).problems.length > 0) return 'schema refused';
  if (problems.some(({ message }) => STOPPED.test(message))) return 'stopped';
  return problems.length > 0 ? 'mismatch' : 'fits';
}

/** Without a limit, the first attacks take minutes or hours, so the test run times out. */
describe('The validation of schema attacks', () => {
  it.each(SCHEMA_ATTACKS)(
    'The validation of $name ends as $outcome, for arguments and for a result',
    ({ name, schema, value, outcome }) => {
      const args: JsonObject = { v: value, ...(name.includes('unknown names') && unknownNames()) };
      const { schema: parameters } = readParameters(schema);
      const problems = validateArguments({ ...TOOL, parameters }, args).problems;
      expect(outcomeOf(schema, problems)).toBe(outcome);
      const output: JsonSchema = { ...schema, ...(outcome === 'mismatch' && { additionalProperties: false }) };
      const ofResult = outcomeOf(schema, validateOutput({ ...TOOL, output }, args));
      // A result gets no defaults, so a large default costs nothing.
      expect(ofResult).toBe(JSON.stringify(schema).includes('"default"') ? 'fits' : outcome);
    },
  );
});

function unknownNames(): JsonObject {
  return Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`paramter${index}`, 1]));
}

test('A schema that is too expensive is refused with its place and advice', () => {
  const [attack] = SCHEMA_ATTACKS;
  expect(readParameters(attack?.schema).problems).toEqual([
    {
      path: '/$defs/l7',
      message:
        'The references from here unfold to more than 100000 schemas, so that validation could take for ever; ' +
        'refer to each schema fewer times, or merge branches that are equal',
    },
  ]);
});

test('A stopped validation refuses the value and says why', () => {
  const attack = SCHEMA_ATTACKS.find(({ name }) => name.startsWith('a recursive choice'));
  if (!attack) throw new Error('the attack is missing');
  expect(validateArguments({ ...TOOL, parameters: attack.schema }, { v: attack.value }).problems).toEqual([
    { path: '', message: 'The arguments must take fewer steps to validate; send less, or a simpler value' },
  ]);
});

const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));
const uuid = (index: number) => `2eb8aa08-aa98-41ea-b4aa-${index.toString(16).padStart(12, '0')}`;

/** The limit grows with the value, so ordinary schemas never reach it. */
describe('Ordinary values of about 1 MB', () => {
  it.each<[what: string, schema: JsonSchema, value: Json]>([
    ['integers behind a reference', { items: { $ref: '#/$defs/n' } }, many(400_000, () => 1)],
    ['numbers or texts', { items: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, many(400_000, () => 1)],
    ['unique integers', { uniqueItems: true, items: { type: 'integer' } }, many(120_000, (index) => index)],
    ['prices', { items: { multipleOf: 0.01, minimum: 0 } }, many(150_000, (index) => (index % 1_000) / 100)],
    [
      'ids by their pattern',
      { items: { pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' } },
      many(20_000, uuid),
    ],
    ['ids by their format', { uniqueItems: true, items: { format: 'uuid' } }, many(20_000, uuid)],
    ['dates', { items: { type: 'string', format: 'date' } }, many(70_000, () => '2026-02-28')],
    ['a text with a pattern', { pattern: '^[^<>]*$', minLength: 1, maxLength: 1_000_000 }, 'word '.repeat(180_000)],
    ['a text of emoji', { minLength: 100_000, maxLength: 400_000 }, '👍'.repeat(220_000)],
    [
      'rows',
      {
        items: {
          type: 'object',
          properties: { id: { type: 'integer' }, name: { type: 'string', maxLength: 80 }, tags: { type: 'array' } },
          required: ['id'],
          additionalProperties: false,
        },
      },
      many(25_000, (id) => ({ id, name: 'some name', tags: [] })),
    ],
    [
      'rows of several kinds',
      { items: { oneOf: many(4, (kind) => ({ properties: { kind: { const: kind } }, required: ['kind'] })) } },
      many(30_000, (index) => ({ kind: index % 4, text: 'some text' })),
    ],
    [
      'a map of many names',
      { additionalProperties: { type: 'integer' } },
      Object.fromEntries(many(60_000, (index) => [`n${index}`, index])),
    ],
  ])('The validation accepts 1 MB of %s', (_, schema, value) => {
    const parameters: JsonSchema = { properties: { v: schema }, $defs: { n: { type: 'integer' } } };
    expect(validateArguments({ ...TOOL, parameters }, { v: value }).problems).toEqual([]);
  });
});
