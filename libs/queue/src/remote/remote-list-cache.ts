import type { RemoteList, RemoteServer, RemoteTool } from '@errand/contracts';
import type { NotificationHub, Subscription } from '../suspend/notifications.js';
import { remoteListOf } from '../redis/notification-names.js';
import { digestOfServer, type RemoteLists, type StoredList } from './remote-lists.js';

/** A server whose list is followed. */
interface Followed {
  subscription: Subscription;
  ended: AbortController;
  list?: RemoteList;
  /** The stored form of `list`. */
  text: string;
  /** Resolves after the first read. */
  read: Promise<void>;
}

/** Shared instance: creating an Error (stack trace) is expensive. */
const ENDED = new Error('The list is not followed any more');
const RETRY_MS = 5_000;

/** The lists of the servers of a library, as they are now. A change of a list is seen without polling. */
export class RemoteListCache {
  /** Called after a change of a list. */
  onChange: () => void = () => undefined;
  private followed = new Map<string, Followed>();

  constructor(
    private readonly lists: RemoteLists,
    private readonly notifications: NotificationHub,
  ) {}

  /** What is known about a server now. */
  get(server: RemoteServer): RemoteList | undefined {
    return this.followed.get(digestOfServer(server))?.list;
  }

  /** Follows exactly these servers from now on. */
  follow(servers: readonly RemoteServer[]): void {
    const wanted = new Set(servers.map(digestOfServer));
    for (const [digest, followed] of this.followed)
      if (!wanted.has(digest)) {
        stop(followed);
        this.followed.delete(digest);
      }
    for (const digest of wanted) if (!this.followed.has(digest)) this.begin(digest);
  }

  /** Resolves when each list was read once, or after `ms`. */
  async firstRead(ms: number): Promise<void> {
    const limit = new Promise((resolve) => setTimeout(resolve, ms).unref());
    await Promise.race([Promise.all([...this.followed.values()].map(({ read }) => read)), limit]);
  }

  close(): void {
    this.follow([]);
  }

  private begin(digest: string): void {
    const subscription = this.notifications.listen(remoteListOf(digest));
    const ended = new AbortController();
    const followed: Followed = { subscription, ended, text: '{}', read: Promise.resolve() };
    this.followed.set(digest, followed);
    followed.read = this.read(digest, followed);
    void followed.read.then(() => this.listen(digest, followed));
  }

  private async listen(digest: string, followed: Followed): Promise<void> {
    const { subscription, ended } = followed;
    while (!ended.signal.aborted) {
      await subscription.next(ended.signal);
      if (!ended.signal.aborted) await this.read(digest, followed);
    }
  }

  /** Reads a list. While Redis does not answer, the last one stays. */
  private async read(digest: string, followed: Followed): Promise<void> {
    try {
      const stored = await this.lists.read(digest);
      const text = JSON.stringify(stored);
      if (text === followed.text) return;
      followed.text = text;
      followed.list = parsed(stored, followed.list?.tools ?? []);
      this.onChange();
    } catch {
      const again = setTimeout(() => void this.read(digest, followed), RETRY_MS).unref();
      followed.ended.signal.addEventListener('abort', () => clearTimeout(again), { once: true });
    }
  }
}

function stop({ subscription, ended }: Followed): void {
  ended.abort(ENDED);
  subscription.close();
}

/** Equal tools of the list before stay the same objects, so that they are not made again. */
function parsed({ tools, away, leftOut }: StoredList, before: readonly RemoteTool[]): RemoteList {
  const known = new Map(before.map((tool) => [JSON.stringify(tool), tool]));
  const listed = tools === undefined ? undefined : (JSON.parse(tools) as RemoteTool[]);
  return {
    ...(listed && { tools: listed.map((tool) => known.get(JSON.stringify(tool)) ?? tool) }),
    ...(away !== undefined && { away: JSON.parse(away) as NonNullable<RemoteList['away']> }),
    ...(leftOut !== undefined && { leftOut: JSON.parse(leftOut) as string[] }),
  };
}
