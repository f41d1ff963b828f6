import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import { loadTask, startTask } from './running-task.js';
import type { ThreadRequest, ThreadSetup } from './thread-pool.js';

/** What a pool's file exports. */
interface TaskModule {
  /** Loads what the task needs; this does not count as its run. */
  prepare?: (task: unknown) => unknown;
  run: (task: unknown) => unknown;
}

let loaded: TaskModule | undefined;

/** Every task of a pool runs through this function: it records the start and calls `run` of the pool's file, unless the task has ended. */
export default async function runTask({ task, state }: ThreadRequest): Promise<unknown> {
  if (!loadTask(state)) return undefined;
  // Loaded here, not above: Piscina would hide the error of a file that cannot be loaded.
  loaded ??= load();
  if (loaded.prepare) await loaded.prepare(task);
  return startTask(state) ? loaded.run(task) : undefined;
}

function load(): TaskModule {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the pool sets it
  const { file } = workerData as ThreadSetup;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the pool's file has this form
  return createRequire(file)(file) as TaskModule;
}
