import { DEFAULT_LABEL, ToolError } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import { Definitions, removeEnvironment, Queues, wantedEnvironments, NotificationHub } from '@errand/queue';
import type { PrepareRun } from './prepare-run.js';

/** Installs the dependencies of scripts that this runner may run, one after the other, before their first run. */
export class PrefetchDependencies {
  constructor(
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly definitions: Definitions,
    private readonly prepareRun: Pick<PrepareRun, 'prefetch'>,
    /** The labels of this runner. Scripts with another label run elsewhere. */
    private readonly offers: readonly string[],
    private readonly logger: Logger,
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
      if (script && this.offers.includes(tool.runner ?? DEFAULT_LABEL)) await this.prepareRun.prefetch(script, signal);
    } catch (error) {
      if (error instanceof ToolError && error.type === 'LostError') return removeEnvironment(this.queues, digest);
      throw error;
    }
  }
}
