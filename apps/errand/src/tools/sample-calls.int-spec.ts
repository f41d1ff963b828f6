import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Json, JsonSchema } from '@errand/contracts';
import { parse } from '@errand/protocol';
import type { Registry } from '@errand/registry';
import { openRegistry } from './offline-registry.js';
import { sampleArguments } from './sample-arguments.js';
import { sampleCalls } from './sample-calls.js';

const EXAMPLES = join(__dirname, '../../../../examples');
let registry: Registry;

beforeAll(async () => {
  registry = await openRegistry([EXAMPLES]);
});

/** The body that a shell passes to curl. */
const bodyOf = (command: string): unknown => bodiesOf([command])[0];

/** The bodies that one shell passes to curl. */
function bodiesOf(commands: readonly string[]): unknown[] {
  const script = ['curl() { printf \'%s\\0\' "${@: -1}"; }', ...commands].join('\n');
  const bodies = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  return bodies.map((body) => JSON.parse(body) as unknown);
}

it('Every tool of the examples and the core has a sample call in each protocol that is parsed to the same arguments', () => {
  const tools = registry.list();
  expect(tools.length).toBeGreaterThan(20);
  const wanted: unknown[] = [];
  const commands: string[] = [];
  for (const tool of tools) {
    const args = sampleArguments(tool);
    const { arguments: filled, problems } = registry.validate(tool, args);
    expect({ tool: tool.toolId, problems }).toEqual({ tool: tool.toolId, problems: [] });
    const [action, tam, json] = sampleCalls(tool, 'http://127.0.0.1:3000');
    for (const { text, fault, remark } of [action!, tam!]) {
      expect({ tool: tool.toolId, fault }).toEqual({ tool: tool.toolId, fault: undefined });
      const { calls, errors } = parse(text!, { tools: registry.toolLookup() });
      expect({ text, errors, ids: calls.map(({ toolId }) => toolId) }).toEqual({
        text,
        errors: [],
        ids: [tool.toolId],
      });
      if (remark === undefined) expect(calls[0]!.arguments).toEqual(filled);
    }
    wanted.push({ toolId: tool.toolId, arguments: args });
    commands.push(json!.text!);
  }
  expect(bodiesOf(commands)).toEqual(wanted);
});

describe('A sample call', () => {
  const tool = {
    toolId: 'a:b',
    version: '1.0.0',
    displayName: '',
    description: '',
    kind: 'external' as const,
    tags: [],
  };

  it.each<[JsonSchema, Json]>([
    [{ type: 'string', minLength: 12, maxLength: 14 }, 'some x......'],
    [{ type: 'string', format: 'email' }, 'ada@example.org'],
    [{ type: 'integer', minimum: 3, multipleOf: 2 }, 4],
    [{ type: 'number', exclusiveMinimum: 1 }, 2],
    [{ type: 'integer', maximum: -5 }, -5],
    [{ type: ['null', 'boolean'] }, true],
    [{ enum: ['p', 'q'] }, 'p'],
    [{ const: 7 }, 7],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'some x'],
    [{ type: ['integer', 'string'] }, 'some x'],
    [{ oneOf: [{ type: 'integer' }, { type: 'boolean' }] }, 1],
    [{ type: 'array', items: {}, examples: [[1, 'a']] }, [1, 'a']],
    [{ $ref: '#/$defs/thing' }, { name: 'some name' }],
    [{ type: 'array', items: { type: 'string' }, minItems: 2 }, ['some x 1', 'some x 2']],
    [{ allOf: [{ type: 'integer' }, { minimum: 9 }] }, 9],
  ])('A sample call has a value for %j', (schema, value) => {
    const thing = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const parameters = { type: 'object', properties: { x: schema }, required: ['x'], $defs: { thing } };
    expect(sampleArguments({ parameters })).toEqual({ x: value });
    for (const { text, remark } of sampleCalls({ ...tool, parameters }, 'http://h'))
      expect({ text, remark }).toEqual({ text: expect.any(String), remark: undefined });
  });

  it('A sample call uses an alias if the tool id is not a valid tag', () => {
    const parameters = { type: 'object' };
    const [action] = sampleCalls({ ...tool, toolId: '7up:drink', aliases: ['drink'], parameters }, 'http://h');
    expect(action!.text).toBe('<ACTION>\n  <drink />\n</ACTION>');
  });

  it('A remark says what differs in text if the schema leaves the type open', () => {
    const examples = [{ arguments: { x: { n: 1 } } }];
    const parameters = { type: 'object', properties: { x: {} } };
    const [action] = sampleCalls({ ...tool, parameters, examples }, 'http://h');
    expect(action).toMatchObject({
      text: expect.stringContaining('<n>1</n>'),
      remark: expect.stringContaining('in x'),
    });
  });

  it('A missing sample call has a reason', () => {
    const parameters = { type: 'object', properties: { 'a b': { type: 'string' } }, required: ['a b'] };
    const [, tam, json] = sampleCalls({ ...tool, parameters }, 'http://h');
    expect(tam).toMatchObject({ fault: expect.stringContaining("'a b' is not a key") });
    expect(bodyOf(json!.text!)).toEqual({ toolId: 'a:b', arguments: { 'a b': 'some a b' } });
  });

  it('Quotes in a sample call are safe in a shell', () => {
    const examples = [{ arguments: { text: `it's "$HOME" \`pwd\` \\n` } }];
    const [, , json] = sampleCalls({ ...tool, parameters: { type: 'object' }, examples }, 'http://h');
    expect(bodyOf(json!.text!)).toEqual({ toolId: 'a:b', arguments: examples[0]!.arguments });
  });
});
