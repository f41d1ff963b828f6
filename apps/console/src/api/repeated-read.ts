/** A page that hears of changes itself reads again within this time after a gap. It then needs no second read for the gap. */
const CATCH_UP_MS = 750;
/** A read that is under way for so long hangs. */
const HANGS_MS = 60_000;

/** What hears of the reads. */
export interface ReadListener<T> {
  onBegin: () => void;
  onData: (data: T) => void;
  onError: (error: unknown) => void;
}

/**
 * The reads of one thing, of which at most one is under way.
 *
 * - Idle: `reload` begins a read.
 * - Reading: `reload` notes that one more read is wanted, which begins when this one has settled. A reload that aborted the read would never
 *   let a page see an answer while changes come faster than answers.
 * - A catch-up is due: a read must begin, because the answer of an earlier one may lack what has changed. Any read that begins is that one.
 * - Closed: nothing is read, and no answer counts.
 */
export class RepeatedRead<T> {
  private underWay: { abort: AbortController; begun: number } | undefined;
  private isWanted = false;
  private isClosed = false;
  /** What was reported while the read was under way. It may be newer than the answer. */
  private changes: ((data: T) => T)[] = [];
  private catchUpTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly load: (signal: AbortSignal) => Promise<T>,
    private readonly listener: ReadListener<T>,
  ) {}

  /** Reads again: now, or when the read that is under way has settled. */
  reload(): void {
    if (this.isClosed) return;
    if (this.underWay && Date.now() - this.underWay.begun < HANGS_MS) this.isWanted = true;
    else this.begin();
  }

  /** Reads again soon, unless another read begins before. A read that is under way until then is aborted: it may hang on a lost connection. */
  catchUp(): void {
    if (this.isClosed) return;
    this.catchUpTimer ??= setTimeout(() => this.begin(), CATCH_UP_MS);
  }

  /** Applies a change to the answer of the read that is under way, too. */
  noteChange(change: (data: T) => T): void {
    if (this.underWay) this.changes.push(change);
  }

  /** Aborts what is under way. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.catchUpTimer);
    this.underWay?.abort.abort();
    this.underWay = undefined;
  }

  private begin(): void {
    clearTimeout(this.catchUpTimer);
    this.catchUpTimer = undefined;
    this.underWay?.abort.abort();
    const current = { abort: new AbortController(), begun: Date.now() };
    this.underWay = current;
    this.isWanted = false;
    this.changes = [];
    this.listener.onBegin();
    /** The answer of an aborted read does not count. */
    const settle = (tell: () => void) => {
      if (this.underWay !== current) return;
      this.underWay = undefined;
      tell();
      if (this.isWanted) this.begin();
    };
    this.load(current.abort.signal).then(
      (data) => settle(() => this.listener.onData(this.changes.reduce((newest, change) => change(newest), data))),
      (error: unknown) => settle(() => this.listener.onError(error)),
    );
  }
}
