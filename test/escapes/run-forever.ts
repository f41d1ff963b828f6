import { RealSandbox } from './real-sandbox.js';
import { until } from './until.js';

/** A runner to be killed: starts a script that does not end, and prints its own runner id and the container that serves it, once the script runs and others wait. */
const real = new RealSandbox({ pool: { min: 1, max: 2, maxAgeMs: 600_000 } });
let container = '';
void real.attempt('python', 'import sys, time\nprint("running", file=sys.stderr)\ntime.sleep(300)', {
  limits: { timeoutMs: Number(process.env.ERRAND_TEST_TIMEOUT_MS ?? 60_000) },
  onContainer: (id) => (container = id),
  onLog: () =>
    void until('others wait', () => Promise.resolve(real.sandbox.waiting === 2)).then(() =>
      process.stdout.write(`${real.runnerId} ${container}\n`),
    ),
});
