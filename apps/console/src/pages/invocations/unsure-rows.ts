import { MOST_IDS } from './read-rows.js';

/** Rows are read again at most this often (ms), however often the feed is thinned. */
const CATCH_UP_MS = 2_000;

/** The rows that may have changed without an event, by id. They are read again when the reader sees them. */
export class UnsureRows {
  private readonly ids = new Set<string>();
  /** The ids of the rows that the reader sees. */
  private inView: readonly string[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param catchUp reads the unsure rows in view, of which there may be none. A failure is repeated when the feed returns. */
  constructor(private readonly catchUp: (ids: readonly string[]) => Promise<void>) {}

  /** Notes which rows the reader sees. */
  see(ids: readonly string[]): void {
    this.inView = ids;
    if (ids.some((id) => this.ids.has(id))) this.catchUpSoon();
  }

  /** Any of these rows may have changed. */
  distrust(ids: Iterable<string>): void {
    for (const id of ids) this.ids.add(id);
    this.catchUpSoon();
  }

  /** These rows were read. */
  trust(ids: Iterable<string>): void {
    for (const id of ids) this.ids.delete(id);
  }

  /** All rows were read. */
  trustAll(): void {
    this.ids.clear();
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private catchUpSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const ids = this.inView.filter((id) => this.ids.has(id)).slice(0, MOST_IDS);
      this.catchUp(ids).catch(() => undefined);
    }, CATCH_UP_MS);
  }
}
