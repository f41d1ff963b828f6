import { DEFAULT_LABEL, ToolError } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import { Definitions, removeEnvironment, Queues, wantedEnvironments, NotificationHub } from '@errand/queue';
import type { PrepareRun } from './prepare-run.js';

/** Installs what scripts that may come here will need, one after the other, before anybody calls them. */
export class PrefetchDependencies {
  constructor(
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly definitions: Definitions,
    private readonly prepareRun: Pick<PrepareRun, 'prefetch'>,
    /** The labels that this runner offers: scripts that ask for another run elsewhere. */
    private readonly offers: readonly string[],
    private readonly logger: Logger,
  ) {}

  /** Goes on until what it returns is called; that resolves when nothing is begun any more. */
  start(): () => Promise<void> {
    const ending = new AbortController();
    const going = this.go(ending.signal).catch((err: unknown) =>
      this.logger.warn({ err }, 'no dependencies are installed ahead'),
    );
    return () => {
      ending.abort();
      return going;
    };
  }

  private async go(signal: AbortSignal): Promise<void> {
    for await (const digest of wantedEnvironments(this.queues, this.notifications, signal)) {
      try {
        await this.install(digest, signal);
      } catch (err) {
        // The run that needs them says so to whoever asked for it.
        if (!signal.aborted) this.logger.warn({ err, definition: digest }, 'dependencies could not be installed ahead');
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
