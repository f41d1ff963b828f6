import { RealSandbox } from './real-sandbox.js';
import { until } from './until.js';

/**
 * A runner for a test that kills it. It starts an endless script. It prints its runner id and the container id when the
 * script runs and the pool is full.
 */
const real = new RealSandbox({ pool: { min: 1, max: 2, maxAgeMs: 600_000 } });
let container = '';
void real.attempt('python', 'import sys, time\nprint("running", file=sys.stderr)\ntime.sleep(300)', {
  limits: { timeoutMs: Number(process.env.ERRAND_TEST_TIMEOUT_MS ?? 60_000) },
  onContainer: (id) => (container = id),
  onLog: () =>
    void until('two containers wait in the pool', () => Promise.resolve(real.sandbox.waiting === 2)).then(() =>
      process.stdout.write(`${real.runnerId} ${container}\n`),
    ),
});
