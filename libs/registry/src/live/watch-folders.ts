import { statSync, type Stats } from 'node:fs';
import { relative } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';
import { realRootOf } from '../files/follow-link.js';
import { codeOf, messageOf } from '../plugins/thrown-values.js';
import { isHidden } from '../files/walk-folder.js';

interface FolderChanges {
  /** Called after a possible change below one of the folders. */
  onChange: () => void;
  /** Receives messages about the watcher for the operator. */
  onNotice: (message: string) => void;
}

/** The interval for checking whether the folders exist and are the same, in ms. */
const FOLDERS_MS = 500;
/** The interval at which a change is assumed, in ms. Network drives and some mounts report no changes. */
const UNTOLD_MS = 5_000;
/** The interval at which a change is assumed if the system cannot watch more files, in ms. */
const POLL_MS = 500;

/**
 * Reports changes below folders, which need not exist yet. It watches only folders, because one inotify watch for each
 * folder covers all its files. Links are not followed: a link may only lead to another path inside the library, which
 * is watched itself.
 */
export class FolderWatch {
  private watcher: FSWatcher | undefined;
  /** Ends the wait for a closed watcher, which never becomes ready. */
  private stopWaiting: () => void = () => undefined;
  private present: string;
  private isPolling = false;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly folders: readonly string[],
    private readonly changes: FolderChanges,
  ) {
    this.present = this.identities();
  }

  /** Resolves when all later changes are reported. */
  async start(): Promise<void> {
    this.every(FOLDERS_MS, () => this.checkFolders());
    this.every(UNTOLD_MS, this.changes.onChange);
    await this.watch();
  }

  async close(): Promise<void> {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
    await this.drop();
  }

  private every(ms: number, act: () => void): void {
    this.timers.push(setInterval(act, ms).unref());
  }

  private async watch(): Promise<void> {
    const there = this.folders.filter((folder) => statOf(folder)?.isDirectory()).map(realRootOf);
    if (there.length === 0) return;
    const watcher = watch(there, {
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: (path, stats) => stats?.isDirectory() === false || isHiddenIn(there, path),
    });
    this.watcher = watcher;
    watcher.on('all', this.changes.onChange).on('raw', this.changes.onChange);
    await new Promise<void>((resolve) => {
      this.stopWaiting = resolve;
      watcher.on('ready', resolve).on('error', (error) => this.fallBack(watcher, error));
    });
  }

  /** Watches a folder again that was created, deleted or replaced. */
  checkFolders(): void {
    const present = this.identities();
    if (present === this.present) return;
    this.present = present;
    void this.drop()
      .then(() => (this.timers.length > 0 ? this.watch() : undefined))
      .catch((error: unknown) => this.changes.onNotice(`The library cannot be watched: ${messageOf(error)}`))
      .then(this.changes.onChange);
    this.changes.onChange();
  }

  /** Polls the files if the system has no more watches, or cannot watch here. */
  private fallBack(watcher: FSWatcher, error: unknown): void {
    if (watcher !== this.watcher) return;
    void this.drop();
    if (this.isPolling) return;
    this.isPolling = true;
    const hint = codeOf(error) === 'ENOSPC' ? '; raise fs.inotify.max_user_watches' : '';
    this.changes.onNotice(
      `The library cannot be watched (${messageOf(error)}${hint}): it is polled every ${POLL_MS} ms instead`,
    );
    this.every(POLL_MS, this.changes.onChange);
  }

  /**
   * Closes the watcher. `close` removes its listeners, but its pending operations may still fail, and an 'error' event
   * without a listener would end the process.
   */
  private async drop(): Promise<void> {
    const { watcher } = this;
    this.watcher = undefined;
    this.stopWaiting();
    const closed = watcher?.close();
    watcher?.on('error', () => undefined);
    await closed?.catch(() => undefined);
  }

  private identities(): string {
    // The system reuses inode numbers at once.
    const stats = this.folders.map(statOf);
    return stats.map((found) => (found ? `${found.ino} ${found.birthtimeMs}` : '-')).join();
  }
}

/** The stats of a folder; undefined if it cannot be reached. */
function statOf(folder: string): Stats | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isHiddenIn(folders: readonly string[], path: string): boolean {
  return folders.every((folder) => {
    const inside = relative(folder, path);
    return inside.startsWith('..') || isHidden(inside);
  });
}
