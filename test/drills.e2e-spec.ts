import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Drills in small; what they prove at length, they print. They run from dist/: `npm run build` first, as `./errand test` does. */
async function runDrill(name: string, ...args: string[]): Promise<{ code: number | null; told: string }> {
  const noDocker = process.env['ERRAND_TEST_NO_DOCKER'] === 'true' && { ERRAND_NO_DOCKER: 'true' };
  const drill = spawn(process.execPath, [`bench/drills/${name}.mjs`, ...args], {
    cwd: join(__dirname, '..'),
    env: { ...process.env, ...noDocker },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const stream of [drill.stdout, drill.stderr]) stream.on('data', (chunk: Buffer) => said.push(String(chunk)));
  const [code] = (await once(drill, 'close')) as [number | null];
  return { code, told: said.join('') };
}

describe('every process and Redis killed in turn', () => {
  it('lose nothing that was accepted, change no final state, and owe no callback', async () => {
    const { code, told } = await runDrill('loss', '60', '7');
    // Where a promise is broken, all that was counted is shown.
    expect(code === 0 ? 'kept' : told).toBe('kept');
    expect(told).toContain('| lost | 0 | 0 |');
  });
});

describe('invocations cancelled at random moments', () => {
  it('end as they were told to, and leave no container', async () => {
    const { code, told } = await runDrill('cancel', '60', '3');
    expect(code === 0 ? 'kept' : told).toBe('kept');
    expect(told).toContain('| state wrong | 0 | 0 |');
  });
});
