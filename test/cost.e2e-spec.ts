import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { QUICK_START } from './support/start-process.js';

const ROOT = join(__dirname, '..');
const RECORDED = { 'accepting, 1 tenant': { commands: 20, roundTrips: 1, bytes: 2_000 } };

/** Calls a function of bench/cost/recorded-costs.mjs, which is an ES module, in a process of its own. */
function call(name: 'findGrowth' | 'findSlower', ...values: object[]): string[] {
  const args = values.map((value) => JSON.stringify(value)).join(', ');
  const program = `import { ${name} } from './bench/cost/recorded-costs.mjs'; console.log(JSON.stringify(${name}(${args})));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

describe('The cost of an invocation', () => {
  // It needs dist/: `npm run build`, as in `./errand test`.
  it('No workload needs over 5 % more commands, round trips or bytes of Redis than recorded', () => {
    const noScripts = process.env['ERRAND_TEST_NO_DOCKER'] === 'true' ? ['--no-scripts'] : [];
    if (noScripts.length > 0) console.log('The cost of a single script is not measured: ERRAND_TEST_NO_DOCKER is set');
    const args = ['bench/cost.mjs', '--runs', '1', '--quick', ...noScripts];
    const node = [...QUICK_START, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, node, { cwd: ROOT, encoding: 'utf8' });
    // The ratios of the CPU time change with the load of the machine, so that they are printed only.
    console.log(stdout);
    expect(status === 0 ? 'kept' : stdout + stderr).toBe('kept');
  });

  it('A count that grew by more than 5 % is named with both values, and with the command that records it', () => {
    const grown = { 'accepting, 1 tenant': { commands: 20.9, roundTrips: 1.06, bytes: 2_000 } };
    expect(call('findGrowth', RECORDED, grown)).toEqual([
      'accepting, 1 tenant: roundTrips per invocation grew by 6 %, from 1 to 1.06',
      expect.stringContaining('node bench/cost.mjs --record'),
    ]);
    expect(call('findGrowth', RECORDED, RECORDED)).toEqual([]);
    expect(call('findGrowth', {}, RECORDED)).toContain('accepting, 1 tenant: bytes is not recorded');
  });

  it('A ratio that is more than 15 % worse than recorded is named', () => {
    expect(call('findSlower', { a: 1, b: 1, c: 1 }, { a: 0.84, b: 0.86, d: 0.1 })).toEqual([
      'a: the ratio is 16 % worse than recorded, 0.84 instead of 1.00',
    ]);
  });
});
