import { realpathSync } from 'node:fs';
import { writeLibrary } from '../../test/write-library.js';
import { loadCode } from './load-code.js';

test('Code that never ends loading is interrupted, and the message names the limit', () => {
  const folder = writeLibrary({ 'nodes/index.js': 'for (;;);' });
  expect(() => loadCode({ folder, entry: 'nodes/index', root: realpathSync(folder), isBuiltin: false }, 300)).toThrow(
    'it does not end loading within 0.3 s',
  );
});
