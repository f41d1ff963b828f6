import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RemoteServer } from '@errand/contracts';
import type { RemoteServers } from '@errand/mcp-client';
import { hintOf, type Logger } from '@errand/platform';
import { digestOfServer, type RemoteLists } from '@errand/queue';

/** How long a worker that died keeps others from listing its servers. */
const CLAIM_MS = 30_000;
const RENEW_MS = 10_000;

/** A server that this worker lists, or would list if no other worker did. */
interface Followed {
  ended: AbortController;
  done: Promise<void>;
}

/**
 * Lists the tools of the servers of `mcp.json`, and stores the lists for all processes. Of several workers, one lists a
 * server. It begins after the start of the worker and delays nothing.
 */
export class ListRemoteServers {
  private readonly worker = randomUUID();
  private readonly followed = new Map<string, Followed>();

  constructor(
    private readonly servers: RemoteServers,
    private readonly lists: RemoteLists,
    private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {}

  /** Lists exactly these servers from now on. */
  follow(servers: readonly RemoteServer[]): void {
    const wanted = new Map(servers.map((server) => [digestOfServer(server), server]));
    for (const [digest, { ended }] of this.followed)
      if (!wanted.has(digest)) {
        ended.abort();
        this.followed.delete(digest);
      }
    for (const [digest, server] of wanted) if (!this.followed.has(digest)) this.begin(digest, server);
  }

  async close(): Promise<void> {
    const open = [...this.followed.values()];
    this.follow([]);
    await Promise.all(open.map(({ done }) => done));
  }

  private begin(digest: string, server: RemoteServer): void {
    const ended = new AbortController();
    this.followed.set(digest, { ended, done: this.takeTurns(digest, server, ended.signal) });
  }

  /** Lists a server whenever no other worker does. */
  private async takeTurns(digest: string, server: RemoteServer, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.claim(digest)) await this.listUntilLost(digest, server, signal);
      await delay(RENEW_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async listUntilLost(digest: string, server: RemoteServer, signal: AbortSignal): Promise<void> {
    const lost = new AbortController();
    const renewing = setInterval(() => {
      void this.claim(digest).then((isHeld) => isHeld || lost.abort());
    }, RENEW_MS);
    const either = AbortSignal.any([signal, lost.signal]);
    try {
      await this.servers.follow(server, this.receiverOf(digest, server), either);
    } finally {
      clearInterval(renewing);
      await this.lists.release(digest, this.worker).catch(() => undefined);
    }
  }

  private receiverOf(digest: string, { name }: RemoteServer) {
    return {
      onList: async ({ tools, leftOut }: { tools: Parameters<RemoteLists['store']>[1]; leftOut: string[] }) => {
        await this.lists.store(digest, tools, leftOut);
        this.logger.info({ server: name, tools: tools.length }, 'tools of a server listed');
      },
      onAway: async (reason: Error) => {
        const hint = hintOf(reason);
        this.logger.warn({ server: name, reason: reason.message, ...(hint && { hint }) }, 'a server is away');
        await this.lists.storeAway(digest, reason.message).catch(() => undefined);
      },
    };
  }

  /** A Redis that does not answer is no reason to stop: the claim expires if another worker can reach it. */
  private async claim(digest: string): Promise<boolean> {
    return this.lists.claim(digest, this.worker, CLAIM_MS).catch(() => false);
  }
}
