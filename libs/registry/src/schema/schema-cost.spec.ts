import type { JsonObject, JsonSchema, Problem, ToolInterface } from '@errand/contracts';
import { SCHEMA_ATTACKS, type SchemaAttack } from '../../test/schema-attacks.js';
import { readParameters } from '../read-parameters.js';
import { validateArguments } from '../validate-arguments.js';
import { validateOutput } from '../validate-output.js';

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

/** What came of an attack, in the words of the table. */
function outcomeOf(schema: JsonSchema, problems: readonly Problem[]): SchemaAttack['outcome'] {
  if (readParameters(schema).problems.length > 0) return 'schema refused';
  if (problems.some(({ message }) => STOPPED.test(message))) return 'stopped';
  return problems.length > 0 ? 'mismatch' : 'fits';
}

/** Before there was a bound, the first of these took minutes or hours: a freeze shows as a test that does not end. */
describe('The validation of', () => {
  it.each(SCHEMA_ATTACKS)(
    '$name ends as $outcome, for arguments and for a result.',
    ({ name, schema, value, outcome }) => {
      const args: JsonObject = { v: value, ...(name.includes('unknown names') && unknownNames()) };
      const { schema: parameters } = readParameters(schema);
      const problems = validateArguments({ ...TOOL, parameters }, args).problems;
      expect(outcomeOf(schema, problems)).toBe(outcome);
      const output: JsonSchema = { ...schema, ...(outcome === 'mismatch' && { additionalProperties: false }) };
      const ofResult = outcomeOf(schema, validateOutput({ ...TOOL, output }, args));
      // A result gets no defaults, so that a large default costs nothing.
      expect(ofResult).toBe(JSON.stringify(schema).includes('"default"') ? 'fits' : outcome);
    },
  );
});

function unknownNames(): JsonObject {
  return Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`paramter${index}`, 1]));
}

test('A schema that is refused for its cost is refused with its place and a way out.', () => {
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

test('A stopped validation says so, and refuses the value.', () => {
  const attack = SCHEMA_ATTACKS.find(({ name }) => name.startsWith('a recursive choice'));
  if (!attack) throw new Error('there is no such attack');
  expect(validateArguments({ ...TOOL, parameters: attack.schema }, { v: attack.value }).problems).toEqual([
    { path: '', message: 'The arguments must take fewer steps to validate; send less, or a simpler value' },
  ]);
});
