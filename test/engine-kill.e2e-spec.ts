import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { QUICK_START } from './support/start-process.js';

/** Runs the chaos test with a small number of workflows. It needs dist/: `npm run build`, as in `./errand test`. */
describe('Workers that are killed at random while workflows run', () => {
  it('No workflow is lost, and no step in the journal runs again', async () => {
    const drill = spawn(process.execPath, [...QUICK_START, 'bench/drills/engine-kill.mjs', '30', '7'], {
      cwd: join(__dirname, '..'),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    for (const stream of [drill.stdout, drill.stderr]) stream.on('data', (chunk: Buffer) => said.push(String(chunk)));
    const [code] = (await once(drill, 'close')) as [number];
    const told = said.join('');
    expect(code === 0 ? 'kept' : told).toBe('kept');
    expect(told).toMatch(/\| … lost: never ended +\| 0 \| 0 \|/);
  });
});
