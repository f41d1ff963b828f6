import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keys, PREFIX } from '../libs/queue/src/redis/names.js';

const PAGE = readFileSync(join(__dirname, '../docs/flow.md'), 'utf8');
const BULLMQS_OWN = ['job', 'lock', 'set'];

/** The first word of each key of ours. */
const words = Object.entries(keys)
  .filter(([name]) => !BULLMQS_OWN.includes(name))
  .map(([, key]) => (typeof key === 'string' ? key : (key as (...parts: string[]) => string)('a', 'b')))
  .map((key) => key.slice(PREFIX.length + 1).split(':')[0]!);

it.each([...words, 'index'])('docs/flow.md says what the key %s holds', (word) => {
  const row = PAGE.split('\n').find((line) => new RegExp(`^\\|[^|]*\`${word}[:\`]`).test(line));
  expect(row).toBeDefined();
});
