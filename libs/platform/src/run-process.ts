import { EnvironmentError, type EnvironmentVariables } from './env.js';
import { readProcessSettings } from './settings/read-process-settings.js';
import { SHUTDOWN_SETTINGS } from './settings/shared-settings.js';

/** Something that has been started and can be ended; `close` drains: what is in hand is finished first. */
export interface Running {
  close(): Promise<void>;
  /** What is in hand, by id: told where the time to finish it was too short. */
  runningJobs?(): readonly string[];
}

/** More of them are only counted. */
const NAMED = 20;

/**
 * The life of a process: start, run until SIGTERM or SIGINT, drain, exit 0. What is not finished after ERRAND_SHUTDOWN_MS is named on
 * stderr and left to others, who take it over as they would from a process that died; the exit code is 1 then. A second signal exits at
 * once. A start that fails exits 1 with its message (all faults of the environment together), never with a stack of ours.
 */
export function runProcess(start: () => Promise<Running>, env: EnvironmentVariables = process.env): void {
  const started = start();
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    stopping = true;
    started
      .then((running) => {
        const { ERRAND_SHUTDOWN_MS: graceMs } = readProcessSettings(SHUTDOWN_SETTINGS, env);
        setTimeout(() => leave(running, graceMs), graceMs);
        return running.close();
      })
      .then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  started.catch(fail);
}

function leave(running: Running, graceMs: number): never {
  const left = running.runningJobs?.() ?? [];
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  const what = left.length === 0 ? 'nothing in hand' : `left to others: ${left.slice(0, NAMED).join(', ')}${more}`;
  process.stderr.write(`not drained within ERRAND_SHUTDOWN_MS=${graceMs}; ${what}\n`);
  process.exit(1);
}

function fail(error: unknown): never {
  const known = error instanceof EnvironmentError || (error instanceof Error && 'hint' in error);
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
