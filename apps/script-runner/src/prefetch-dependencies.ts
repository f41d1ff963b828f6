import { DEFAULT_LABEL, ToolError } from '@errand/contracts';
import type { Logger, ScriptRunnerSettings } from '@errand/platform';
import { Definitions, removeEnvironment, Queues, wantedEnvironments, NotificationHub } from '@errand/queue';
import { Inject, Injectable } from '@nestjs/common';
import { PrepareRun } from './prepare-run.js';
import { RunnerConfiguration, RunnerLogger } from './runner-tokens.js';

/** Installs the dependencies of scripts that this runner may run, one after the other, before their first run. */
@Injectable()
export class PrefetchDependencies {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(NotificationHub) private readonly notifications: NotificationHub,
    @Inject(Definitions) private readonly definitions: Definitions,
    @Inject(PrepareRun) private readonly prepareRun: Pick<PrepareRun, 'prefetch'>,
    /** The labels of this runner. Scripts with another label run elsewhere. */
    @Inject(RunnerConfiguration) private readonly settings: Pick<ScriptRunnerSettings, 'ERRAND_RUNNER_LABELS'>,
    @Inject(RunnerLogger) private readonly logger: Logger,
  ) {}

  /** @returns a function that stops the installation and resolves when it has stopped */
  start(): () => Promise<void> {
    const ending = new AbortController();
    const running = this.installAll(ending.signal).catch((err: unknown) =>
      this.logger.warn({ err }, 'the prefetch of dependencies stopped'),
    );
    return () => {
      ending.abort();
      return running;
    };
  }

  private async installAll(signal: AbortSignal): Promise<void> {
    for await (const digest of wantedEnvironments(this.queues, this.notifications, signal)) {
      try {
        await this.install(digest, signal);
      } catch (err) {
        // The run that needs them reports the error to its caller.
        if (!signal.aborted) this.logger.warn({ err, definition: digest }, 'dependencies could not be prefetched');
      }
    }
  }

  private async install(digest: string, signal: AbortSignal): Promise<void> {
    try {
      const { script, tool } = await this.definitions.get(digest);
      const isOffered = this.settings.ERRAND_RUNNER_LABELS.includes(tool.runner ?? DEFAULT_LABEL);
      if (script && isOffered) await this.prepareRun.prefetch(script, signal);
    } catch (error) {
      if (error instanceof ToolError && error.type === 'LostError') return removeEnvironment(this.queues, digest);
      throw error;
    }
  }
}
