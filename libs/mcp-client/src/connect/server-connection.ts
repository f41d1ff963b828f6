import { loadSdk, type Client, type PriorDiscovery } from './sdk.js';
import { isObject, type RemoteServer } from '@errand/contracts';
import { CAPABILITIES, CLIENT_NAME } from './client-identity.js';
import { expandSecrets, type OpenedServer } from './expand-secrets.js';
import { openTransport, type OpenTransport } from './open-transport.js';
import { RawRequests } from './raw-requests.js';
import { toRemoteError, type RemoteError } from './remote-error.js';
import { CONNECT_MS, type RemoteOptions } from './remote-options.js';

/** A connection to one server. */
export class Connection {
  /** Set when the request of a tool is sent. A failure before that has no effect. */
  isSent = false;

  private constructor(
    readonly server: OpenedServer,
    readonly client: Client,
    readonly raw: RawRequests,
    private readonly open: OpenTransport,
  ) {}

  /**
   * Connects with the newest revision that both sides know.
   * @param prior what an earlier connection has found out; it saves a round trip
   * @throws RemoteError
   */
  static async open(
    given: RemoteServer,
    options: RemoteOptions,
    { signal, prior }: { signal: AbortSignal; prior?: PriorDiscovery | undefined },
  ): Promise<Connection> {
    const server = await expandSecrets(given, options);
    const open = await openTransport(server, options);
    const { Client } = await loadSdk();
    const client = new Client(
      { name: CLIENT_NAME, version: options.version },
      { capabilities: CAPABILITIES, versionNegotiation: { mode: 'auto' }, inputRequired: { autoFulfill: false } },
    );
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client has no listeners
    client.onerror = () => undefined;
    refuseOlderElicitation(client);
    const raw = new RawRequests(open.transport, client, options.version);
    const connection = new Connection(server, client, raw, open);
    try {
      signal.throwIfAborted();
      await client.connect(open.transport, { timeout: CONNECT_MS, signal, ...(prior && { prior }) });
      return connection;
    } catch (thrown) {
      await connection.close();
      signal.throwIfAborted();
      throw connection.explain(thrown, CONNECT_MS);
    }
  }

  /** What a later connection can start from. */
  get discovery(): PriorDiscovery {
    const discover = this.client.getDiscoverResult();
    return discover ? { kind: 'modern', discover } : { kind: 'legacy' };
  }

  get isModern(): boolean {
    return this.client.getProtocolEra() === 'modern';
  }

  /** Whether the server announces changes of its tools. */
  get announcesChanges(): boolean {
    return this.client.getServerCapabilities()?.tools?.listChanged === true;
  }

  get hasTools(): boolean {
    return isObject(this.client.getServerCapabilities()?.tools);
  }

  explain(thrown: unknown, timeoutMs: number): RemoteError {
    const { name, mask } = this.server;
    const failure = this.open.failure();
    return toRemoteError(thrown, { server: name, mask: mask.text, failure, isSent: this.isSent, timeoutMs });
  }

  /** Ends the connection. Messages that tell the server about a cancel are sent first. */
  async close(): Promise<void> {
    await this.raw.settled();
    if (!this.isModern) await withLimit(this.open.endSession());
    await withLimit(this.client.close());
    await withLimit(this.open.transport.close());
  }
}

const CLOSE_MS = 2_000;

/** Waits for a step of the end, but not for a server that does not answer. */
async function withLimit(ending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([ending.catch(() => undefined), limit]);
  clearTimeout(timer);
}

/**
 * A server of an older revision asks over the open connection of the call. Errand cannot suspend such a call, so nobody
 * is asked.
 */
function refuseOlderElicitation(client: Client): void {
  client.setRequestHandler('elicitation/create', () => ({ action: 'cancel' as const }));
}
