import { RealSandbox } from './real-sandbox.js';

/** A runner to be killed: starts a script that does not end, and prints its own runner id once the script runs. */
const real = new RealSandbox();
void real.attempt('python', 'import sys, time\nprint("running", file=sys.stderr)\ntime.sleep(300)', {
  limits: { timeoutMs: Number(process.env.ERRAND_TEST_TIMEOUT_MS ?? 60_000) },
  onLog: () => process.stdout.write(`${real.runnerId}\n`),
});
