import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keys, PREFIX } from '../libs/queue/src/redis/names.js';

const PAGE = readFileSync(join(__dirname, '../docs/redis-keys.md'), 'utf8');
/** Keys below the name of a queue: those of BullMQ, and lanes. */
const OF_QUEUES = ['job', 'lock', 'set', 'ended', 'fair'];

/** The first word of each other key. */
const words = Object.entries(keys)
  .filter(([name]) => !OF_QUEUES.includes(name))
  .map(([, key]) => (typeof key === 'string' ? key : (key as (...parts: string[]) => string)('a', 'b')))
  .map((key) => key.slice(PREFIX.length + 1).split(':')[0]!);

it.each([...words, 'index'])('docs/redis-keys.md describes the key %s', (word) => {
  const row = PAGE.split('\n').find((line) => new RegExp(`^\\|[^|]*\`${word}[:\`]`).test(line));
  expect(row).toBeDefined();
});
