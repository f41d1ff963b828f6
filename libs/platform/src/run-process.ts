import { EnvironmentError } from './env.js';

/** Something that has been started and can be ended; `close` drains: what is in hand is finished first. */
export interface Running {
  close(): Promise<void>;
}

/**
 * The life of a process: start, run until SIGTERM or SIGINT, drain, exit 0. A second signal exits at once.
 * A start that fails exits 1 with its message (all faults of the environment together), never with a stack of ours.
 */
export function runProcess(start: () => Promise<Running>): void {
  const started = start();
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    stopping = true;
    started
      .then((running) => running.close())
      .then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  started.catch(fail);
}

function fail(error: unknown): never {
  const known = error instanceof EnvironmentError || (error instanceof Error && 'hint' in error);
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
