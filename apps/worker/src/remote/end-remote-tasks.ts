import { Inject, Injectable } from '@nestjs/common';
import { RemoteServers } from '@errand/mcp-client';
import { Queues, readJournal, type JournalWriter } from '@errand/queue';
import { Registry } from '@errand/registry';
import { WorkerLogger } from '../worker-tokens.js';
import { REMOTE_FIELDS, type RemoteCallState } from './remote-call-state.js';

/** The time for a server to take the request that ends its task, in ms. */
const CANCEL_MS = 10_000;

/** Ends the tasks that other servers run for an invocation, when it is cancelled or exceeds its time limit. */
@Injectable()
export class EndRemoteTasks {
  constructor(
    @Inject(Registry) private readonly registry: Registry,
    @Inject(Queues) private readonly queues: Queues,
    @Inject(RemoteServers) private readonly servers: RemoteServers,
    @Inject(WorkerLogger) private readonly logger: WorkerLogger,
  ) {}

  /** Resolves when each server was asked. A server that does not answer keeps its task. */
  async run(id: string, journal: JournalWriter): Promise<void> {
    const fields = [...(await readJournal(this.queues, id))].filter(([field]) => field.startsWith(REMOTE_FIELDS));
    await Promise.all(
      fields.map(([field, text]) =>
        this.end(id, { field, state: JSON.parse(text) as RemoteCallState | null }, journal),
      ),
    );
  }

  private async end(
    id: string,
    { field, state }: { field: string; state: RemoteCallState | null },
    journal: JournalWriter,
  ): Promise<void> {
    const server = this.registry.servers.get(state?.server ?? '');
    if (!state?.task || !server) return;
    try {
      await this.servers.cancelTask(server, state.task.id, { signal: AbortSignal.timeout(CANCEL_MS) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.warn({ invocationId: id, server: server.name, reason }, 'a task of a server could not be cancelled');
    }
    // A retry of the invocation must not go on with a task that was cancelled.
    await journal.write([[field, null]]);
  }
}
