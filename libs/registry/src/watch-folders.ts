import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';
import { codeOf, messageOf } from './thrown.js';
import { isHidden } from './walk-folder.js';

export interface FolderNews {
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
 * system's watches (inotify) for each folder is enough to hear of all files in it.
 */
export class FolderWatch {
  private watcher: FSWatcher | undefined;
  private present: string;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly folders: readonly string[],
    private readonly news: FolderNews,
  ) {
    this.present = this.identities();
  }

  /** Resolves when every change from now on is heard of. */
  async start(): Promise<void> {
    this.every(FOLDERS_MS, () => this.lookAtFolders());
    this.every(UNTOLD_MS, this.news.onChange);
    await this.watch();
  }

  async close(): Promise<void> {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
    await this.watcher?.close();
    this.watcher = undefined;
  }

  private every(ms: number, act: () => void): void {
    this.timers.push(setInterval(act, ms).unref());
  }

  private async watch(): Promise<void> {
    const there = this.folders.filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory());
    if (there.length === 0) return;
    const watcher = watch(there, {
      ignoreInitial: true,
      ignored: (path, stats) => stats?.isFile() === true || this.isHidden(path),
    });
    this.watcher = watcher;
    watcher.on('all', this.news.onChange).on('raw', this.news.onChange);
    await new Promise<void>((resolve) => {
      watcher.on('ready', resolve);
      watcher.on('error', (error) => {
        this.fallBack(watcher, error);
        resolve();
      });
    });
  }

  /** A folder that has come, gone or been replaced is watched anew. */
  lookAtFolders(): void {
    const present = this.identities();
    if (present === this.present) return;
    this.present = present;
    const old = this.watcher;
    this.watcher = undefined;
    void Promise.resolve(old?.close())
      .then(() => (this.timers.length > 0 ? this.watch() : undefined))
      .then(this.news.onChange);
    this.news.onChange();
  }

  /** The system has no room for more watches, or cannot watch here: the files are looked at again and again instead. */
  private fallBack(watcher: FSWatcher, error: unknown): void {
    if (watcher !== this.watcher) return;
    this.watcher = undefined;
    void watcher.close();
    const hint = codeOf(error) === 'ENOSPC' ? '; raise fs.inotify.max_user_watches' : '';
    this.news.onNotice(
      `The library cannot be watched (${messageOf(error)}${hint}): it is looked at every ${POLL_MS} ms instead`,
    );
    this.every(POLL_MS, this.news.onChange);
  }

  private identities(): string {
    // Numbers of inodes are used again at once.
    const stats = this.folders.map((folder) => statSync(folder, { throwIfNoEntry: false }));
    return stats.map((found) => (found ? `${found.ino} ${found.birthtimeMs}` : '-')).join();
  }

  private isHidden(path: string): boolean {
    return this.folders.every((folder) => {
      const inside = relative(folder, path);
      return inside.startsWith('..') || isHidden(inside);
    });
  }
}
