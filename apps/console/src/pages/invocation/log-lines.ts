import type { LogLine, LogPage } from '@errand/contracts';

/** What is wanted of a log. */
export interface LogQuery {
  after: number;
  limit: number;
  q?: string;
  step?: string;
}
export type ReadLog = (query: LogQuery) => Promise<LogPage>;

/** Lines of one read where every line is wanted. */
const CHUNK = 1_000;
const MOST_CHUNKS = 30;
/** Lines of one read where only some are wanted. */
const MATCHES = 10_000;

/**
 * The lines of a log that a reader wants. Without a filter, each part is read when it comes into view, and far parts are dropped again.
 * With one, the lines that fit are read in order.
 */
export class LogLines {
  total = 0;
  firstKept = 1;
  /** The number of rows: all kept lines, or those found so far. */
  count = 0;
  /** Whether the search has reached the end. */
  isComplete = true;
  private readonly chunks = new Map<number, readonly LogLine[]>();
  private readonly wanted = new Set<number>();
  private found: LogLine[] = [];
  private readAfter = 0;
  private reading: Promise<void> | undefined;

  /** @param onChange called when lines have come; @param onError called with the error of a failed read */
  constructor(
    private readonly read: ReadLog,
    private readonly filter: { q?: string; step?: string },
    private readonly onChange: () => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  get isFiltered(): boolean {
    return this.filter.q !== undefined || this.filter.step !== undefined;
  }

  /** The line of a row, from 0. Undefined if it has not been read. */
  lineAt(row: number): LogLine | undefined {
    if (this.isFiltered) return this.found[row];
    const n = this.firstKept + row;
    const chunk = Math.floor((n - 1) / CHUNK);
    return this.chunks.get(chunk)?.find((line) => line.n === n);
  }

  /** Reads the rows between two, if they are not there, and drops those that are far away. */
  show(first: number, last: number): void {
    if (this.isFiltered) return;
    const chunkOf = (row: number) => Math.floor((this.firstKept + Math.max(0, row) - 1) / CHUNK);
    for (let chunk = chunkOf(first); chunk <= chunkOf(last); chunk++)
      if (!this.chunks.has(chunk)) void this.readChunk(chunk);
    for (const known of this.chunks.keys())
      if (this.chunks.size > MOST_CHUNKS && Math.abs(known - chunkOf(first)) > MOST_CHUNKS / 2)
        this.chunks.delete(known);
  }

  /** Reads what is new at the end. */
  refresh(): Promise<void> {
    this.reading ??= (this.isFiltered ? this.readMatches() : this.readEnd()).catch(this.onError).finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** The number of lines is not known before, so that the first read has the first lines of a short log. */
  private async readEnd(): Promise<void> {
    const chunk = Math.floor(Math.max(0, this.total - 1) / CHUNK);
    const page = await this.read({ after: chunk * CHUNK, limit: CHUNK });
    this.learn(page);
    this.keep(chunk, page);
    // More than one chunk has come since.
    this.count = Math.max(0, this.total - this.firstKept + 1);
    this.onChange();
  }

  private async readChunk(chunk: number): Promise<void> {
    if (this.wanted.has(chunk)) return;
    this.wanted.add(chunk);
    try {
      const page = await this.read({ after: chunk * CHUNK, limit: CHUNK });
      this.learn(page);
      this.keep(chunk, page);
      this.onChange();
    } catch (error) {
      this.onError(error);
    } finally {
      this.wanted.delete(chunk);
    }
  }

  /** A part that is not full yet is kept, too: `refresh` reads the last one again. */
  private keep(chunk: number, { items }: LogPage): void {
    this.chunks.set(
      chunk,
      items.filter(({ n }) => Math.floor((n - 1) / CHUNK) === chunk),
    );
  }

  private async readMatches(): Promise<void> {
    this.isComplete = false;
    for (let isMore = true; isMore;) {
      const page = await this.read({ ...this.filter, after: this.readAfter, limit: MATCHES });
      this.learn(page);
      this.found = [...this.found, ...page.items];
      this.readAfter = page.nextCursor === null ? Math.max(this.readAfter, page.total) : Number(page.nextCursor);
      isMore = page.nextCursor !== null;
      this.count = this.found.length;
      this.isComplete = !isMore;
      this.onChange();
    }
  }

  private learn({ total, firstKept }: LogPage): void {
    this.total = Math.max(this.total, total);
    this.firstKept = firstKept;
  }
}
