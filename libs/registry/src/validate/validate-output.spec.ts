import type { Json, JsonSchema } from '@errand/contracts';
import { validateOutput } from './validate-output.js';

const tool = {
  toolId: 'a:b',
  version: '1.0.0',
  displayName: 'B',
  description: '',
  kind: 'script' as const,
  parameters: {},
  tags: [],
};
const output: JsonSchema = { type: 'object', properties: { n: { type: 'integer', default: 1 } }, required: ['n'] };

test('A result is checked but never changed', () => {
  expect(validateOutput({ ...tool, output }, { n: 1, more: true })).toEqual([]);
  const value = {};
  expect(validateOutput({ ...tool, output }, value)).toEqual([{ path: '/n', message: "Missing field 'n'" }]);
  expect(value).toEqual({});
  expect(validateOutput({ ...tool, output }, 'x')).toEqual([
    { path: '', message: 'The result must be an object, got a string' },
  ]);
});

test('A tool without an output schema may return any value up to 64 levels deep', () => {
  let deep: Json = null;
  for (let depth = 0; depth < 64; depth++) deep = [deep];
  expect(validateOutput(tool, deep)).toEqual([]);
  expect(validateOutput(tool, [deep])).toEqual([{ path: '', message: 'The result nests deeper than 64 levels' }]);
});
