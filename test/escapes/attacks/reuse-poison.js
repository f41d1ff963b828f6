/*
Attack: plant code where the next interpreter would load it: preloaded libraries, start-up files, caches, packages, user
settings.
Defence: only /tmp is writable, /tmp is emptied, and the environment of each run is built again.
Runs: 4
Expect: []
*/
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isFirstRun, report } from './attempts.js';

const PLANT = 'process.env.POISONED = "1";';
const OUTSIDE = [
  '/etc/ld.so.preload',
  '/opt/errand/script.js',
  '/opt/errand/site/node_modules/x.js',
  '/node_modules/x.js',
  '/package.json',
  '/bunfig.toml',
  '/script/node_modules/x.js',
  '/script/bunfig.toml',
  '/script/package.json',
  '/var/tmp/x',
  '/run/x',
  '/dev/x',
  '/usr/local/bin/bun',
];
const SETTINGS = `preload = ["/tmp/plant.js"]\n`;
const INSIDE = {
  '/tmp/plant.js': PLANT,
  '/tmp/.bunfig.toml': SETTINGS,
  '/tmp/bunfig.toml': SETTINGS,
  '/tmp/.config/.bunfig.toml': SETTINGS,
  '/tmp/node_modules/x/index.js': PLANT,
  '/tmp/.env': 'POISONED=1',
};

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const first = isFirstRun();
if (first) {
  for (const [path, text] of Object.entries(INSIDE)) write(path, text);
  process.env.LD_PRELOAD = '/tmp/x.so';
  globalThis.POISONED = true;
  Object.getPrototypeOf({}).POISONED = true;
}
await report({
  environment: () => !first && (process.env.POISONED === '1' || 'LD_PRELOAD' in process.env),
  globals: () => !first && ('POISONED' in globalThis || 'POISONED' in {}),
  left: () => !first && Object.keys(INSIDE).some((path) => existsSync(path)),
  ...Object.fromEntries(OUTSIDE.map((path) => [path, () => write(path, PLANT)])),
});
