import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The drill in small. It runs from dist/: `npm run build` first, as `./errand test` does. */
describe('workers killed at random through workflows of every shape', () => {
  it('lose none of them, and run no journaled step again', async () => {
    const drill = spawn(process.execPath, ['bench/drills/engine-kill.mjs', '30', '7'], {
      cwd: join(__dirname, '..'),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    for (const stream of [drill.stdout, drill.stderr]) stream.on('data', (chunk: Buffer) => said.push(String(chunk)));
    const [code] = (await once(drill, 'close')) as [number];
    const told = said.join('');
    expect({ code, told }).toEqual({ code: 0, told: expect.stringMatching(/\| … lost: never ended +\| 0 \| 0 \|/) });
  });
});
