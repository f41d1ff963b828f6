import { statSync, type Stats } from 'node:fs';
import { relative } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';
import { realRootOf } from '../files/follow-link.js';
import { codeOf, messageOf } from '../plugins/thrown-values.js';
import { isHidden } from '../files/walk-folder.js';

export interface FolderChanges {
  /** Something below one of the folders may have changed. */
  onChange: () => void;
  /** Told what an operator should know of the watching itself. */
  onNotice: (message: string) => void;
}

/** How often it is looked whether the folders themselves are there, and are the same. */
const FOLDERS_MS = 500;
/** How often a change is assumed where the system tells of none: on network drives and some mounts it never does. */
const UNTOLD_MS = 5_000;
/** How often it is assumed where the system has no room for watching. */
const POLL_MS = 500;

/**
 * Tells of changes below folders, whether or not these are there yet. Only folders are watched, not each file: one of the
 * system's watches (inotify) for each folder is enough to hear of all files in it. Links are not followed: a link may only lead to
 * another place inside the library, and that place is watched itself.
 */
export class FolderWatch {
  private watcher: FSWatcher | undefined;
  /** Ends the wait for a watcher that will never be ready, because it was closed. */
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

  /** Resolves when every change from now on is heard of. */
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

  /** A folder that has come, gone or been replaced is watched anew. */
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

  /** The system has no room for more watches, or cannot watch here: the files are looked at again and again instead. */
  private fallBack(watcher: FSWatcher, error: unknown): void {
    if (watcher !== this.watcher) return;
    void this.drop();
    if (this.isPolling) return;
    this.isPolling = true;
    const hint = codeOf(error) === 'ENOSPC' ? '; raise fs.inotify.max_user_watches' : '';
    this.changes.onNotice(
      `The library cannot be watched (${messageOf(error)}${hint}): it is looked at every ${POLL_MS} ms instead`,
    );
    this.every(POLL_MS, this.changes.onChange);
  }

  /**
   * Closes the watcher. `close` removes its listeners, but operations that it has begun may still fail, and an 'error' event without a
   * listener would end the process.
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
    // Numbers of inodes are used again at once.
    const stats = this.folders.map(statOf);
    return stats.map((found) => (found ? `${found.ino} ${found.birthtimeMs}` : '-')).join();
  }
}

/** Undefined where there is nothing, or nothing that can be reached. */
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
