import { setTimeout as delay } from 'node:timers/promises';
import type { RemoteServer } from '@errand/contracts';
import { Connection } from '../connect/server-connection.js';
import { CONNECT_MS, type RemoteOptions } from '../connect/remote-options.js';
import { listTools, type ListedTools } from './list-remote-tools.js';

/** Receives each list of a server, and each failure to get one. */
export interface ListReceiver {
  onList: (listed: ListedTools) => Promise<void>;
  /** @param reason an error whose message has no secret */
  onAway: (reason: Error) => Promise<void>;
}

/** A list is requested again after this time at the latest, and not before MIN_TTL_MS. */
const MAX_TTL_MS = 300_000;
const MIN_TTL_MS = 5_000;
/** The shortest time between a change and the next list, so that a server that announces many changes is listed seldom. */
const GATHER_MS = 500;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** Lists the tools of a server now, after each change and after the time that it names, until the signal aborts. */
export async function followServer(
  server: RemoteServer,
  options: RemoteOptions,
  { onList, onAway }: ListReceiver,
  signal: AbortSignal,
): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      await listWhileConnected(server, options, signal, async (listed) => {
        pauseMs = FIRST_PAUSE_MS;
        await onList(listed);
      });
    } catch (error) {
      if (signal.aborted) return;
      await onAway(error instanceof Error ? error : new Error(String(error)));
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Lists again and again over one connection. Resolves when the connection has ended. */
async function listWhileConnected(
  server: RemoteServer,
  options: RemoteOptions,
  signal: AbortSignal,
  onList: ListReceiver['onList'],
): Promise<void> {
  const connection = await Connection.open(server, options, { signal });
  try {
    const changes = await Changes.of(connection, signal);
    while (!signal.aborted) {
      const listed = await listTools(connection, signal);
      await onList(listed);
      await changes.next(Math.min(Math.max(listed.ttlMs ?? MAX_TTL_MS, MIN_TTL_MS), MAX_TTL_MS), signal);
      if (changes.areLost) return;
    }
  } finally {
    await connection.close();
  }
}

/** The announcements of changes that come over a connection. */
class Changes {
  /** Whether announcements can be missed from now on. */
  areLost = false;
  private isChanged = false;
  private wake: () => void = () => undefined;

  /** Subscribes if the server announces changes. A server without them is listed by time only. */
  static async of(connection: Connection, signal: AbortSignal): Promise<Changes> {
    const changes = new Changes();
    if (!connection.announcesChanges) return changes;
    connection.client.setNotificationHandler('notifications/tools/list_changed', () => changes.note());
    if (!connection.isModern) return changes;
    const subscription = await connection.client
      .listen({ toolsListChanged: true }, { timeout: CONNECT_MS, signal })
      .catch(() => undefined);
    void subscription?.closed.then(() => changes.noteLoss());
    return changes;
  }

  /** Resolves after a change, when announcements are lost, or after `ms`. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.isChanged && !this.areLost) {
      const awake = new AbortController();
      this.wake = () => awake.abort();
      await delay(ms, undefined, { signal: AbortSignal.any([signal, awake.signal]) }).catch(() => undefined);
    }
    if (!this.isChanged) return;
    await delay(GATHER_MS, undefined, { signal }).catch(() => undefined);
    this.isChanged = false;
  }

  private noteLoss(): void {
    this.areLost = true;
    this.wake();
  }

  private note(): void {
    this.isChanged = true;
    this.wake();
  }
}
