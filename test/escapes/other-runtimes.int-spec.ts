import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readAttacks, runAttack } from '../../apps/script-runner/src/escapes/index.js';
import { describeWithOwnEngine, OwnEngine, whereIs } from './own-engine.js';
import { RealSandbox } from './real-sandbox.js';

const isHybrid = existsSync('/sys/fs/cgroup/unified/cgroup.controllers');

function whyNot(runtime: 'crun' | 'runsc'): string | undefined {
  if (!whereIs(runtime)) return `${runtime} is not installed`;
  if (runtime === 'crun' && isHybrid) return 'crun refuses a host where both versions of control groups are mounted';
  return undefined;
}

/**
 * The other runtimes that `ERRAND_SANDBOX_RUNTIME` can name, on a Docker engine of their own. Skipped if the runtime is
 * missing.
 */
for (const runtime of ['crun', 'runsc'] as const) {
  const tests = () => {
    const engine = new OwnEngine({ runtimes: { [runtime]: whereIs(runtime)! } });
    const real = new RealSandbox({ docker: { socketPath: engine.socketPath }, runtime });

    beforeAll(async () => {
      await engine.start();
      for (const image of new Set(Object.values(real.images))) await engine.load(image);
      await real.require();
    });
    afterAll(async () => {
      await real.sandbox.close();
      await engine.remove();
    });

    it.each(['python', 'bun'] as const)(
      'A script in %s runs, and reuses its container where it may',
      async (language) => {
        const one = { python: 'print(1)', bun: 'console.log(1)' }[language];
        for (const reuse of [undefined, 'own', 'own']) {
          expect(await real.attempt(language, one, { reuse })).toMatchObject({ result: 1 });
        }
      },
    );

    it.each(readAttacks(join(__dirname, 'attacks')))('The sandbox withstands $file', async (attack) => {
      expect(await runAttack(real.sandbox, attack)).toMatchObject({ held: true });
    });
  };
  // With undefined, describeWithOwnEngine applies its own conditions.
  describeWithOwnEngine(`Scripts under ${runtime}`, tests, whyNot(runtime));
}
