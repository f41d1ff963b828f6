import { setTimeout as delay } from 'node:timers/promises';
import type { RemoteList, RemoteServer } from '@errand/contracts';
import { LibraryIndex } from '../resolve/library-index.js';
import type { Library } from '../load/library.js';
import type { LibraryProblem } from '../files/library-problem.js';
import { LiveLibrary } from './live-library.js';
import type { LibraryOptions } from '../load/load-library.js';
import { Registry } from '../resolve/registry.js';
import { messageOf } from '../plugins/thrown-values.js';
import { FolderWatch } from './watch-folders.js';

/** The lists of the servers of `mcp.json`, which come and change at any time. */
export interface RemoteListSource {
  get(server: RemoteServer): RemoteList | undefined;
  /** Follows exactly these servers from now on. */
  follow(servers: readonly RemoteServer[]): void;
  /** Resolves when each list was read once, or after `ms`. */
  firstRead(ms: number): Promise<void>;
  /** Called after a change of a list. */
  onChange: () => void;
}

/** How long the start waits for lists that are stored already. Other lists come later. */
const FIRST_READ_MS = 1_000;

export interface WatchOptions extends LibraryOptions {
  remoteLists?: RemoteListSource;
  /** Called when the servers of `mcp.json` files are known, and after each change of them. */
  onServers?: (servers: readonly RemoteServer[]) => void;
  /** Called after each edit that is live, with all current problems. */
  onReload?: (problems: readonly LibraryProblem[]) => void;
  /** Receives messages for the operator, such as that files are polled or a scan failed. */
  onNotice?: (message: string) => void;
}

/** Events within this time belong to one edit, in ms. */
const GATHER_MS = 100;
/**
 * A worse state is accepted only if a second scan after this time confirms it, in ms. An editor may be in the middle of
 * a write.
 */
const DOUBT_MS = 150;

/**
 * Loads the libraries and watches their files. An edit is live within 1 s in each watching process. Accepted
 * invocations keep their definitions.
 */
export async function watchRegistry(options: WatchOptions): Promise<WatchedRegistry> {
  const { remoteLists: lists } = options;
  const live = new LiveLibrary(lists ? { ...options, remoteListOf: (server) => lists.get(server) } : options);
  const { library, accept } = await live.scan();
  accept();
  const watched = new WatchedRegistry(live, library, options);
  await watched.start();
  return watched;
}

/** A registry that follows the edits of its files until it is closed. */
export class WatchedRegistry {
  readonly registry: Registry;
  private readonly closing = new AbortController();
  private readonly folders: FolderWatch;
  private gathering: NodeJS.Timeout | undefined;
  private scanning: Promise<void> = Promise.resolve();

  constructor(
    private readonly live: LiveLibrary,
    private library: Library,
    private readonly options: WatchOptions,
  ) {
    this.registry = new Registry(new LibraryIndex(library));
    const onNotice = (message: string) => options.onNotice?.(message);
    this.folders = new FolderWatch(options.folders, { onChange: () => this.scanSoon(), onNotice });
  }

  async start(): Promise<void> {
    this.tellServers();
    const { remoteLists: lists } = this.options;
    if (lists) lists.onChange = () => this.scanSoon();
    await Promise.all([this.folders.start(), lists?.firstRead(FIRST_READ_MS)]);
    // Stored lists come at once, but thousands of tools do not delay the start.
    if (this.library.servers.size > 0) void this.refresh();
    // The watch did not report edits between the first scan and its start.
    this.scanSoon();
  }

  /** Scans the files now, also without a reported edit. */
  refresh(): Promise<void> {
    this.scanning = this.scanning.then(() => this.scan());
    return this.scanning;
  }

  private tellServers(): void {
    const servers = [...this.library.servers.values()];
    this.options.remoteLists?.follow(servers);
    this.options.onServers?.(servers);
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearTimeout(this.gathering);
    await this.folders.close();
    await this.scanning;
  }

  private scanSoon(): void {
    if (this.closing.signal.aborted) return;
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      void this.refresh();
    }, GATHER_MS).unref();
  }

  private async scan(): Promise<void> {
    const { signal } = this.closing;
    if (signal.aborted) return;
    this.folders.checkFolders();
    try {
      let found = await this.live.scan();
      if (found.isWorse) {
        await delay(DOUBT_MS, undefined, { signal });
        found = await this.live.scan();
      }
      found.accept();
      if (found.library === this.library) return;
      this.library = found.library;
      this.registry.replace(found.library);
      this.tellServers();
      this.options.onReload?.(found.library.problems);
    } catch (error) {
      if (!signal.aborted) this.options.onNotice?.(`The library could not be scanned: ${messageOf(error)}`);
    }
  }
}
