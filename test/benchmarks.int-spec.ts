import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');

/** Runs Node.js in the folder of the project. @returns its exit code and what it wrote */
function run(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

// No other suite runs these programs, which use parts of Errand by their names.
describe('The benchmarks that use parts of Errand', () => {
  it('The consumers of bench/consumer.mjs end their jobs', () => {
    const { status, output } = run('bench/consumer.mjs', '--runs', '1', '--jobs', '100');
    expect({ status, output }).toMatchObject({
      status: 0,
      output: expect.stringContaining("Errand's consumer") as unknown,
    });
  });

  it('bench/fair/without-lanes.mjs knows the script that it changes', () => {
    const read = "require('fs').readFileSync('libs/queue/src/fair/put-in-ring.lua')";
    expect(run('--import', './bench/fair/without-lanes.mjs', '--eval', read)).toEqual({ status: 0, output: '' });
  });
});
