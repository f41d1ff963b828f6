import { join } from 'node:path';
import { readAttacks, runAttack } from '../../apps/script-runner/src/escapes/index.js';
import { describeWithDocker, RealSandbox } from './real-sandbox.js';

/**
 * Every file in `attacks/` is one attack; a new attack is a new file. `./errand doctor --sandbox` runs the attacks on
 * any host.
 */
describeWithDocker('Attacks on the sandbox', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(() => real.sandbox.close());

  it.each(readAttacks(join(__dirname, 'attacks')))('The sandbox withstands $file', async (attack) => {
    const own = new RealSandbox();
    const { held, came } = await runAttack(own.sandbox, attack);
    expect(held ? 'held' : came).toBe('held');
    await own.sandbox.close();
    expect(await own.left()).toEqual([]);
  });

  it('The Docker engine runs scripts after all attacks', async () => {
    expect(await real.attempt('python', 'print("\\"well\\"")')).toMatchObject({ result: 'well' });
  });

  it('An attack that succeeds is reported as not held', async () => {
    const [attack] = readAttacks(join(__dirname, 'attacks')).filter(({ file }) => file === 'control.py');
    const misjudged = { ...attack!, expected: { result: [] } };
    expect(await runAttack(real.sandbox, misjudged)).toMatchObject({ held: false });
  });
});
