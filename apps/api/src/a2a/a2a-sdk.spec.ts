import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const VALUE_IMPORT = /^import (?!type )[^;]*?from '@a2a-js\/sdk/m;

it('No file loads the SDK when the API starts: all imports are types, or run with the first request', () => {
  const files = readdirSync(__dirname).filter((name) => !name.endsWith('.spec.ts'));
  expect(files).toContain('a2a-sdk.ts');
  expect(files.filter((name) => VALUE_IMPORT.test(readFileSync(join(__dirname, name), 'utf8')))).toEqual([]);
});
