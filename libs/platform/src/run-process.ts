import { EnvironmentError, type EnvironmentVariables } from './env.js';
import { readProcessSettings } from './settings/read-process-settings.js';
import { SHUTDOWN_SETTINGS } from './settings/shared-settings.js';

/** A started application. `close` drains it: running jobs finish first. */
export interface Running {
  close(): Promise<void>;
  /** The ids of the running jobs, for the message when the time for draining is over. */
  runningJobs?(): readonly string[];
}

/** The message names this many jobs and counts the rest. */
const NAMED = 20;

/**
 * Runs a process: start, run until SIGTERM or SIGINT, drain, exit 0. After ERRAND_SHUTDOWN_MS it reports the jobs that
 * are left on stderr and exits 1; other processes take them over as after a crash. A second signal exits at once. A
 * failed start exits 1 with a message (all problems of the environment together), without a stack trace for known
 * errors.
 */
export function runProcess(start: () => Promise<Running>, env: EnvironmentVariables = process.env): void {
  const started = start();
  let running: Running | undefined;
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    stopping = true;
    try {
      const { ERRAND_SHUTDOWN_MS: graceMs } = readProcessSettings(SHUTDOWN_SETTINGS, env);
      // Also a start can take for ever, such as one that waits for Redis.
      setTimeout(() => leave(running, graceMs), graceMs);
    } catch (error) {
      fail(error);
    }
    started
      .then(() => running?.close())
      .then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
  };
  started.then((application) => (running = application), fail);
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function leave(running: Running | undefined, graceMs: number): never {
  const left = running?.runningJobs?.() ?? [];
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  const what =
    left.length === 0 ? 'no job is running' : `other processes take over: ${left.slice(0, NAMED).join(', ')}${more}`;
  process.stderr.write(`not drained within ERRAND_SHUTDOWN_MS=${graceMs}; ${what}\n`);
  process.exit(1);
}

function fail(error: unknown): never {
  const known = error instanceof EnvironmentError || (error instanceof Error && 'hint' in error);
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
