import type { Logger, ScriptRunnerSettings } from '@errand/platform';

/** Injection token of the settings of the script-runner process. */
export abstract class RunnerConfiguration {
  abstract readonly ERRAND_LOCK_MS: ScriptRunnerSettings['ERRAND_LOCK_MS'];
  abstract readonly ERRAND_RUNNER_LABELS: ScriptRunnerSettings['ERRAND_RUNNER_LABELS'];
  abstract readonly ERRAND_SANDBOX_RUNTIME: ScriptRunnerSettings['ERRAND_SANDBOX_RUNTIME'];
}

/** Injection token of the logger of the script-runner process. */
export abstract class RunnerLogger {
  abstract readonly info: Logger['info'];
  abstract readonly warn: Logger['warn'];
}
