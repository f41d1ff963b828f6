import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonSchema } from '@errand/contracts';
import { compileSchema, errorsOf } from './compile-schema.js';

/** The Debian package libtest-json-schema-acceptance-perl installs the official JSON-Schema-Test-Suite here. */
const SUITE = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12';

interface Group {
  description: string;
  schema: JsonSchema | boolean;
  tests: { description: string; data: Json; valid: boolean }[];
}

const REMOTE = 'refers to another document: nothing is ever fetched, so the schema is refused';
const DIALECT = 'names a dialect of its own: only JSON Schema 2020-12 is read, so the schema is refused';

/** All required cases that do not pass, by file and group, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'dynamicRef: strict-tree schema, guards against misspelled properties': REMOTE,
  'dynamicRef: tests for implementation dynamic anchor and reference link': REMOTE,
  'dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first': REMOTE,
  'dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first': REMOTE,
  'refRemote: remote ref': REMOTE,
  'refRemote: fragment within remote ref': REMOTE,
  'refRemote: anchor within remote ref': REMOTE,
  'refRemote: ref within remote ref': REMOTE,
  'refRemote: base URI change': REMOTE,
  'refRemote: base URI change - change folder': REMOTE,
  'refRemote: base URI change - change folder in subschema': REMOTE,
  'refRemote: root ref in remote ref': REMOTE,
  'refRemote: remote ref with ref to defs': REMOTE,
  'refRemote: Location-independent identifier in remote ref': REMOTE,
  'refRemote: retrieved nested refs resolve relative to their URI not $id': REMOTE,
  'refRemote: remote HTTP ref with different $id': REMOTE,
  'refRemote: remote HTTP ref with different URN $id': REMOTE,
  'refRemote: remote HTTP ref with nested absolute ref': REMOTE,
  'vocabulary: schema that uses custom metaschema with with no validation vocabulary': DIALECT,
  'vocabulary: ignore unrecognized optional vocabulary': DIALECT,
};

/** Validates a value as arguments or as a result. Returns undefined if the schema is refused. */
function fits(schema: Group['schema'], data: Json, purpose: 'inputs' | 'outputs'): boolean | undefined {
  const validate = compileSchema(schema, purpose);
  if (Array.isArray(validate)) return undefined;
  const errors = errorsOf(validate, JSON.parse(JSON.stringify(data)));
  return Array.isArray(errors) && errors.length === 0;
}

const groups = existsSync(SUITE)
  ? readdirSync(SUITE)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const read: Group[] = JSON.parse(readFileSync(join(SUITE, name), 'utf8'));
        return read.map((group) => ({ ...group, name: `${name.replace('.json', '')}: ${group.description}` }));
      })
  : [];

const failing = (purpose: 'inputs' | 'outputs') =>
  groups
    .filter(({ schema, tests }) => tests.some(({ data, valid }) => fits(schema, data, purpose) !== valid))
    .map(({ name }) => name);

if (groups.length === 0) {
  test.skip(`The official suite is not installed: run \`apt-get install libtest-json-schema-acceptance-perl\``, () => {});
} else {
  test('The required cases of the official suite pass, except the listed ones', () => {
    expect(groups.length).toBeGreaterThan(300);
    expect(failing('outputs').toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
  });

  test('Default values change only the outcome of the cases about defaults', () => {
    const outcomes = new Set(failing('outputs'));
    expect(failing('inputs').filter((name) => !outcomes.has(name) && !name.startsWith('default:'))).toEqual([]);
  });

  test('A schema that refers to another document or dialect is refused with a reason', () => {
    for (const { name, schema } of groups) {
      if (EXCEPTIONS[name] !== REMOTE && EXCEPTIONS[name] !== DIALECT) continue;
      expect(compileSchema(schema, 'outputs')).toEqual([
        expect.objectContaining({ message: expect.stringMatching(/nothing is fetched|dialect/) }),
      ]);
    }
  });
}
