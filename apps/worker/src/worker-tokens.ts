import type { Logger, WorkerSettings } from '@errand/platform';

/** Injection token of the settings of the worker process. */
export abstract class WorkerConfiguration {
  abstract readonly ERRAND_LOCK_MS: WorkerSettings['ERRAND_LOCK_MS'];
  abstract readonly ERRAND_COMPUTE_THREADS: WorkerSettings['ERRAND_COMPUTE_THREADS'];
}

/** Injection token of the logger of the worker process. */
export abstract class WorkerLogger {
  abstract readonly info: Logger['info'];
  abstract readonly warn: Logger['warn'];
}
