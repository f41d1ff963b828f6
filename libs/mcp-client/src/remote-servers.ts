import type { PriorDiscovery } from './connect/sdk.js';
import { canonicalJson, type RemoteServer } from '@errand/contracts';
import type { CallContext } from './call/call-context.js';
import { callTool, type CallOutcome, type RemoteCall } from './call/call-tool.js';
import type { InputResponses } from './call/input-requests.js';
import { answerTask, cancelTask, readTaskState, type TaskState } from './call/tasks.js';
import type { RemoteOptions } from './connect/remote-options.js';
import { followServer, type ListReceiver } from './list/follow-server.js';

type Context = Pick<CallContext, 'signal'>;

/** How long the revision of a server is remembered. A server may be replaced by a newer one. */
const REMEMBER_MS = 300_000;

/** The servers of `mcp.json` for one process. Each exchange has a connection of its own. */
export class RemoteServers {
  private readonly discoveries = new Map<string, { discovery: PriorDiscovery; until: number }>();

  constructor(private readonly options: RemoteOptions) {}

  /** Lists the tools of a server again and again, until the signal aborts. It does not reject. */
  follow(server: RemoteServer, receiver: ListReceiver, signal: AbortSignal): Promise<void> {
    return followServer(server, this.options, receiver, signal);
  }

  /** @throws RemoteError; the reason of the signal */
  call(
    server: RemoteServer,
    call: RemoteCall,
    context: Pick<CallContext, 'signal' | 'listener'>,
  ): Promise<CallOutcome> {
    return this.asKnown(server, (known) => callTool(server, call, this.options, { ...context, ...known }));
  }

  /** @throws RemoteError; the reason of the signal */
  taskState(server: RemoteServer, id: string, { signal }: Context): Promise<TaskState> {
    return this.asKnown(server, (known) => readTaskState(server, id, this.options, { signal, ...known }));
  }

  /** @throws RemoteError; the reason of the signal */
  answerTask(server: RemoteServer, id: string, inputResponses: InputResponses, { signal }: Context): Promise<void> {
    return this.asKnown(server, (known) =>
      answerTask(server, { id, inputResponses }, this.options, { signal, ...known }),
    );
  }

  /** @throws RemoteError; the reason of the signal */
  cancelTask(server: RemoteServer, id: string, { signal }: Context): Promise<void> {
    return this.asKnown(server, (known) => cancelTask(server, id, this.options, { signal, ...known }));
  }

  /** Passes what is known about a server, and forgets it after a failure. */
  private async asKnown<T>(
    server: RemoteServer,
    run: (known: Pick<CallContext, 'prior' | 'onConnected'>) => Promise<T>,
  ): Promise<T> {
    const key = canonicalJson(server);
    const known = this.discoveries.get(key);
    const prior = known && known.until > Date.now() ? known.discovery : undefined;
    const onConnected = (discovery: PriorDiscovery) => {
      if (!prior) this.discoveries.set(key, { discovery, until: Date.now() + REMEMBER_MS });
    };
    try {
      return await run({ prior, onConnected });
    } catch (error) {
      this.discoveries.delete(key);
      throw error;
    }
  }
}
