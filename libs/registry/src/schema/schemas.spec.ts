import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { toolFile } from '../../test/write-library.js';

// Other programs use the published schemas, so this test uses a validator without Errand's settings.
const ROOT = join(__dirname, '../../../..');
const SCHEMAS = join(ROOT, 'docs/schemas');
const warnings: unknown[] = [];
const logger = {
  log: () => undefined,
  warn: (said: unknown) => warnings.push(said),
  error: (said: unknown) => warnings.push(said),
};
const ajv = new Ajv2020({ logger, strict: true, allErrors: true });
const validators = new Map(
  readdirSync(SCHEMAS).map((name) => [
    basename(name, '.schema.json'),
    ajv.compile(JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8'))),
  ]),
);

function errorsOf(kind: string, value: unknown): string[] {
  const validate = validators.get(kind)!;
  return validate(value) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const KINDS: [kind: string, path: RegExp][] = [
  ['tool', /\.tool\.json$/],
  ['plugin', /(?:^|\/)plugin\.yaml$/],
  ['agent_profile', /(?:^|\/)agents\/[^/]+\.json$/],
  ['mcp', /(?:^|\/)mcp\.json$/],
  ['workflow', /(?:^|\/)workflows\/.*\.json$/],
];

const files = ['examples', 'plugins'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.includes('node_modules'))
    .flatMap((path) => {
      const kind = KINDS.find(([, pattern]) => pattern.test(path))?.[0];
      return kind === undefined ? [] : [{ kind, path: join(folder, path) }];
    }),
);

test('The published schemas are strict JSON Schema, and their patterns work in any language', () => {
  expect(warnings).toEqual([]);
  const patterns = [...validators.keys()].flatMap((kind) =>
    [...readFileSync(join(SCHEMAS, `${kind}.schema.json`), 'utf8').matchAll(/"pattern": (".*")/g)].map(
      ([, text]) => text,
    ),
  );
  expect(patterns.filter((text) => text!.includes(String.raw`\\p`))).toEqual([]);
});

test('Each kind of file has a schema and an example', () => {
  expect([...validators.keys()].toSorted()).toEqual(KINDS.map(([kind]) => kind).toSorted());
  expect(new Set(files.map(({ kind }) => kind)).size).toBe(KINDS.length);
});

test.each(files)('The file $path is a valid $kind', ({ kind, path }) => {
  expect(errorsOf(kind, parse(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
});

const plugin = (over: object) => ({ name: 'dice', version: '1.0.0', ...over });
const pluginTool = (over: object) =>
  plugin({ tools: [{ id: 'dice:x', description: 'd', implementation: { type: 'external' }, ...over }] });
const workflow = (over: object) => ({ nodes: [], edges: [], ...over });
const agent = (over: object) => ({ id: 'a', tool_ids_inventory: [], ...over });

describe('The field for the schema', () => {
  it.each([
    ['tool', toolFile({ $schema: 'x' })],
    ['plugin', plugin({ $schema: 'x' })],
    ['workflow', workflow({ $schema: 'x' })],
    ['agent_profile', agent({ $schema: 'x' })],
  ])('A %s file may name its schema', (kind, value) => {
    expect(errorsOf(kind, value)).toEqual([]);
  });
});

test.each<[kind: string, value: unknown, place: string]>([
  ['tool', {}, " must have required property 'toolId'"],
  ['tool', toolFile({ toolId: 'search' }), '/toolId must match pattern'],
  ['tool', toolFile({ versoin: '1' }), ' must NOT have additional properties'],
  ['tool', toolFile({ handler: { type: 'node' } }), '/handler/type must be equal to one of the allowed values'],
  [
    'tool',
    toolFile({ handler: { type: 'service-method', serviceName: 's' } }),
    "/handler must have required property 'methodName'",
  ],
  ['tool', toolFile({ limits: { memoryMb: 0 } }), '/limits/memoryMb must be >= 1'],
  ['tool', toolFile({ effects: 'twice' }), '/effects must be equal to one of the allowed values'],
  ['plugin', { name: 'dice' }, " must have required property 'version'"],
  ['plugin', plugin({ name: 'dice:x' }), '/name must match pattern'],
  ['tool', toolFile({ version: '1.0.0-01' }), '/version must match pattern'],
  ['tool', toolFile({ parameters: { type: 'string' } }), '/parameters/type must be equal to constant'],
  ['plugin', plugin({ version: '1.0' }), '/version must match pattern'],
  ['plugin', plugin({ nodes: {} }), "/nodes must have required property 'entry'"],
  ['plugin', pluginTool({ id: 'x' }), '/tools/0/id must match pattern'],
  [
    'plugin',
    pluginTool({ implementation: { type: 'script', language: 'bun' } }),
    "/tools/0/implementation must have required property 'scriptPath'",
  ],
  [
    'plugin',
    pluginTool({ implementation: { type: 'node', node: 'x' } }),
    '/tools/0/implementation must NOT have additional properties',
  ],
  ['workflow', { nodes: [] }, " must have required property 'edges'"],
  ['workflow', workflow({ nodes: [{ id: 'a' }] }), "/nodes/0 must have required property 'type'"],
  [
    'workflow',
    workflow({ interfaceInputs: { a: { required: 'yes' } } }),
    '/interfaceInputs/a/required must be boolean',
  ],
  ['workflow', workflow({ id: '../x' }), '/id must match pattern'],
  ['agent_profile', agent({ tool_ids_inventory: 'kb:*' }), '/tool_ids_inventory must be array'],
  ['agent_profile', { tool_ids_inventory: [] }, " must have required property 'id'"],
])('A wrong %s is refused: %j', (kind, value, place) => {
  expect(errorsOf(kind, value)).toContainEqual(expect.stringContaining(place));
});

/** All schemas of properties with their paths. */
function* propertiesOf(schema: unknown, path = ''): Generator<[path: string, property: Record<string, unknown>]> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, child] of Object.entries(schema)) {
    if (key === 'properties') {
      for (const [name, property] of Object.entries(child)) {
        if (typeof property === 'object' && property !== null)
          yield [`${path}/${name}`, property as Record<string, unknown>];
      }
    }
    yield* propertiesOf(child, `${path}/${key}`);
  }
}

test.each(readdirSync(SCHEMAS))('The schema %s describes every field', (name) => {
  const schema = JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8'));
  const silent = [...propertiesOf(schema)].filter(([, each]) => !('description' in each) && !('$ref' in each));
  // A condition repeats fields that are described in their declaration.
  expect(silent.map(([path]) => path).filter((path) => !/\/(?:if|else)\//.test(path))).toEqual([]);
});
