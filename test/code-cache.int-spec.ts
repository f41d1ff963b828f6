import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLAGS } from './support/code-cache.cjs';
import { writeFiles } from './support/write-files.js';

const FILES = ['code-cache.cjs', 'quick-flags.cjs', 'record-code-cache.mjs'];
const start = (name: string) => `require('./value.js'); exports.${name} = async () => {};`;

/** A clone of Errand whose apps only load one file. */
const CLONE = {
  'node_modules/.package-lock.json': '{}',
  'dist/apps/api/src/start.js': start('startApi'),
  // The one file whose text is not stored in Latin-1.
  'dist/apps/api/src/value.js': "module.exports = '€';",
  'dist/apps/api/src/main.js': "console.log(require('./value.js'), require('./data.json'), require('./new.js'));",
  'dist/apps/api/src/data.json': '2',
  'dist/apps/api/src/new.js': 'module.exports = 3;',
  'dist/apps/worker/src/start.js': 'exports.startWorker = async () => {};',
  'dist/apps/script-runner/src/start.js': 'exports.startScriptRunner = async () => {};',
  'dist/apps/errand/src/commands/up.js': '',
  'dist/libs/platform/src/guarded-fetch.js': 'exports.createGuardedFetch = () => async () => {};',
};

describe('The cache of compiled code for the processes of tests', () => {
  let clone: string;
  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), 'errand-code-cache-'));
    writeFiles(clone, CLONE);
    for (const name of FILES) cpSync(join(__dirname, 'support', name), join(clone, 'test/support', name));
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: clone, encoding: 'utf8' }).trim();
  const main = 'dist/apps/api/src/main.js';
  const cached = () => node('--require', './test/support/code-cache.cjs', main);

  it('A process without a cache loads its files as Node.js does', () => {
    expect(cached()).toBe('€ 2 3');
  });

  it('A process takes the recorded files from the cache, and all others from the disk', () => {
    node('test/support/record-code-cache.mjs');
    writeFiles(clone, { 'dist/apps/api/src/value.js': 'module.exports = 4;' });
    expect(cached()).toBe('€ 2 3');
    expect(node(main)).toBe('4 2 3');
  });

  it('A process does not use the cache of other packages', () => {
    utimesSync(join(clone, 'node_modules/.package-lock.json'), 1, 1);
    expect(cached()).toBe('4 2 3');
  });

  it('V8 takes the compiled code of a process that has the flags of the cache, also after the app has set its own', () => {
    const count = `
      const vm = require('node:vm');
      const verdicts = [];
      vm.Script = class extends vm.Script {
        constructor(...args) { super(...args); verdicts.push(this.cachedDataRejected); }
      };
      process.on('exit', () => console.log(JSON.stringify(verdicts)));`;
    const allocateYoung = readFileSync(join(__dirname, '../dist/libs/platform/src/allocate-young.js'), 'utf8');
    writeFiles(clone, {
      'count.cjs': count,
      'dist/young.js': allocateYoung,
      'dist/apps/api/src/start.js': "require('../../../young.js').allocateYoung(); exports.startApi = async () => {};",
      'dist/apps/api/src/main.js': "require('./start.js').startApi();",
    });
    node('test/support/record-code-cache.mjs');
    const verdicts = (...flags: string[]) =>
      JSON.parse(node(...flags, '--require', './count.cjs', '--require', './test/support/code-cache.cjs', main));
    expect(verdicts(...FLAGS)).toEqual([false, false]);
    expect(verdicts('--interrupt-budget=1000')).toEqual([true, true]);
    // The flag with which `./errand up` starts a stack.
    const [ofStack, hook] = ['--max-semi-space-size=32', './test/support/quick-flags.cjs'];
    expect(verdicts(ofStack)).toEqual([true, true]);
    expect(verdicts(ofStack, '--require', hook)).toEqual([false, false]);
  });
});
