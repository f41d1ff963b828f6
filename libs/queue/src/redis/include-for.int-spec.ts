import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';
import { loadScript } from './lua-script.js';

let redis: TestRedis;
let client: Redis;
let folder: string;
beforeEach(async () => {
  redis = await startRedis();
  client = new Redis(redis.url);
  folder = mkdtempSync(join(tmpdir(), 'errand-lua-'));
});
afterEach(async () => {
  client.disconnect();
  await redis.stop();
  rmSync(folder, { recursive: true });
});

function write(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return join(folder, 'main.lua');
}

/** `made` counts how often the functions of the file are made. */
const PART = `-- @include shared.lua
redis.call('INCR', 'made')
local function double(n) return scale(n, 2) end
local function triple(n) return scale(n, 3) end`;
const SHARED = 'local function scale(n, by) return n * by end';

it('Functions of a file that is included for them are made at the first call of one of them, once in a run', async () => {
  const main = write({
    'main.lua': `-- @include part.lua for double, triple
      if ARGV[1] == 'none' then return {} end
      return { double(1), triple(2), double(3) }`,
    'part.lua': PART,
    'shared.lua': SHARED,
  });
  const script = loadScript<number[]>(main);
  expect(await script.run(client, [], ['none'])).toEqual([]);
  expect(await client.get('made')).toBeNull();
  expect(await script.run(client, [], ['all'])).toEqual([2, 6, 6]);
  expect(await client.get('made')).toBe('1');
});

it('Such a file uses what was included before it, and its other names are hidden', async () => {
  const main = write({
    'main.lua': `-- @include shared.lua
      -- @include part.lua for double
      return { double(scale(1, 5)), triple == nil and 1 or 0 }`.replaceAll(/^ +/gm, ''),
    'part.lua': PART,
    'shared.lua': SHARED,
  });
  // Redis refuses to read a global that does not exist: `triple` is none of the names of the script.
  await expect(loadScript<number[]>(main).run(client, [], [])).rejects.toThrow('triple');
});

it('A file that is hidden in another one and needed again is refused, with what to do', () => {
  const main = write({
    'main.lua': '-- @include part.lua for double\n-- @include shared.lua\nreturn scale(1, 2)',
    'part.lua': PART,
    'shared.lua': SHARED,
  });
  expect(() => loadScript(main)).toThrow(
    'main.lua includes shared.lua, which an earlier line includes for single functions; include it before that line',
  );
});
