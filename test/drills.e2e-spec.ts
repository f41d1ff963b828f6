import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { QUICK_START } from './support/start-process.js';

/**
 * Runs a chaos test with a small number of invocations. Its output shows the details. It needs dist/: `npm run build`,
 * as in `./errand test`.
 */
async function runDrill(name: string, ...args: string[]): Promise<{ code: number | null; told: string }> {
  const noDocker = process.env['ERRAND_TEST_NO_DOCKER'] === 'true' && { ERRAND_NO_DOCKER: 'true' };
  const drill = spawn(process.execPath, [...QUICK_START, `bench/drills/${name}.mjs`, ...args], {
    cwd: join(__dirname, '..'),
    env: { ...process.env, ...noDocker },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const stream of [drill.stdout, drill.stderr]) stream.on('data', (chunk: Buffer) => said.push(String(chunk)));
  const [code] = (await once(drill, 'close')) as [number | null];
  return { code, told: said.join('') };
}

describe('Killing every process and Redis in turn', () => {
  it('No accepted invocation is lost, no final state changes, and every callback is sent when processes are killed in turn', async () => {
    const { code, told } = await runDrill('loss', '60', '7', 'always', '1');
    // If a promise is broken, the failure shows all counts.
    expect(code === 0 ? 'kept' : told).toBe('kept');
    expect(told).toContain('| lost | 0 | 0 |');
  });
});

describe('Killing every process and Redis while turns of agents run', () => {
  it('No turn is lost, no effect, message or report of a call happens twice, and no ended round runs again', async () => {
    const { code, told } = await runDrill('turns', '28', '5');
    expect(code === 0 ? 'kept' : told).toBe('kept');
    expect(told).toContain('| doubled effects | 0 | 0 |');
  });
});

describe('Two floods and a light tenant, with workers that are killed', () => {
  it('No job is lost, and the floods share the slots by their weights', async () => {
    const { code, told } = await runDrill('fair', '300', '1');
    expect(code === 0 ? 'kept' : told).toBe('kept');
    expect(told).toContain('| lost | 0 | 0 |');
  });
});

describe('Invocations that are cancelled at random moments', () => {
  it('Cancelled invocations end in a correct state and leave no container', async () => {
    const { code, told } = await runDrill('cancel', '60', '3');
    expect(code === 0 ? 'kept' : told).toBe('kept');
    expect(told).toContain('| state wrong | 0 | 0 |');
  });
});
