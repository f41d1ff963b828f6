import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import type { ThreadRequest, ThreadSetup } from './thread-pool.js';

type Run = (task: unknown) => unknown;

let run: Run | undefined;

/** Every task of a pool runs through this function: it records the start and calls `run` of the pool's file. */
export default function runTask({ task, startedAt }: ThreadRequest): unknown {
  // Loaded here, not above: Piscina would hide the error of a file that cannot be loaded.
  run ??= load();
  Atomics.store(startedAt, 0, process.hrtime.bigint());
  return run(task);
}

function load(): Run {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the pool sets it
  const { file } = workerData as ThreadSetup;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the pool's file has this form
  return (createRequire(file)(file) as { run: Run }).run;
}
