// Preloaded into a process, this leaves every new job in BullMQ's waiting list, so that no lanes and no rings are used.
import { createRequire, syncBuiltinESMExports } from 'node:module';
const fs = createRequire(import.meta.url)('node:fs');

const FILE = '/fair/put-in-ring.lua';
const PATCHES = [
  [/(local function mayWaitInList\(prefix, lane, count\)\n)/, '$1  do return true end\n'],
  [
    /(local function putAllInRing\(prefix, lists, priority, returns\)\n)/,
    "$1  for _, list in ipairs(lists) do redis.call('LPUSH', prefix .. 'wait', unpack(list.ids)) end\n  do return end\n",
  ],
];

const read = fs.readFileSync;
fs.readFileSync = (path, ...options) => {
  const text = read(path, ...options);
  return String(path).endsWith(FILE) ? PATCHES.reduce(patched, String(text)) : text;
};
syncBuiltinESMExports();

function patched(text, [pattern, replacement]) {
  if (!pattern.test(text)) throw new Error(`${FILE} has no ${pattern}`);
  return text.replace(pattern, replacement);
}
