import type { InvocationRow } from '@errand/contracts';

/** Changes are shown together, at most this often (ms). */
const SHOW_MS = 80;

/**
 * The changes that the feed has reported and the list does not show yet. While rows are read they are held back: they are newer than the answer, so
 * they are shown after it.
 */
export class HeldChanges {
  private readonly rows = new Map<string, InvocationRow>();
  /** How many reads of rows are on their way. */
  private reads = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param isHeld whether there is nothing yet that a change can be shown in */
  constructor(
    private readonly isHeld: () => boolean,
    private readonly show: (changed: ReadonlyMap<string, InvocationRow>) => void,
  ) {}

  take(row: InvocationRow): void {
    this.rows.set(row.id, row);
    this.timer ??= setTimeout(() => this.flush(), SHOW_MS);
  }

  /** Takes a row that was read, unless the feed has reported a newer one meanwhile. */
  takeRead(row: InvocationRow): void {
    if (!this.rows.has(row.id)) this.take(row);
  }

  /** Holds the changes back during a read. Earlier changes are shown before it: they are older than the answer. */
  async during(readRows: () => Promise<void>): Promise<void> {
    this.flush();
    this.reads += 1;
    try {
      await readRows();
    } finally {
      this.reads -= 1;
      this.flush();
    }
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.reads > 0 || this.rows.size === 0 || this.isHeld()) return;
    const changed = new Map(this.rows);
    this.rows.clear();
    this.show(changed);
  }
}
