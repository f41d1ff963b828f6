import type { InvocationCounts, InvocationRow, PartialAnswer } from '@errand/contracts';
import { computed, signal } from '@preact/signals';
import { read } from '../../api/call-api.js';
import type { FeedEvent } from '../../live/follow-feed.js';
import { RETURNED } from '../../live/follow-feed.js';
import { connectionKnown } from '../../live/live-state.js';
import type { ListPage } from '../../parts/list-view.js';
import { matchesRow, queryOf, type ListFilters } from './url-filters.js';
import { mergeRows, releaseFirst, replaceRows } from './merge-rows.js';

const PAGE = 100;
/** More rows than this are not held: those at the other end are released. */
const MOST_ROWS = 6_000;
/** More new invocations than this are not held; the button then reads the first page. */
const MOST_FRESH = 500;
/** Changes are shown together, at most this often (ms). */
const SHOW_MS = 80;
/** Rows are read again at most this often (ms), however often the feed is thinned. */
const CATCH_UP_MS = 2_000;
const PATH = '/v1/invocations';

/** The number of invocations of all statuses. */
export function sumOfCounts({ counts }: InvocationCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The rows of the list for one choice of filters: the pages that were read, and what the feed has reported since. */
export class InvocationList {
  readonly rows = signal<readonly InvocationRow[]>([]);
  readonly counts = signal<InvocationCounts | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  readonly isLoading = signal(true);
  readonly isLoadingMore = signal(false);
  readonly partial = signal<PartialAnswer>({});
  readonly cursor = signal<string | null>(null);
  /** How many of the newest rows were released. */
  readonly released = signal(0);
  /** Invocations that have come since, by id. They wait until the reader wants them. */
  readonly fresh = signal<ReadonlyMap<string, InvocationRow>>(new Map());
  /** Invocations may have come that the rows do not tell to match. */
  readonly mayHaveMore = signal(false);
  readonly freshCount = computed(() => this.fresh.value.size);
  /** Where the reader has scrolled to, in pixels. */
  scrollTop = 0;
  /** The ids of the rows that the reader sees. */
  private inView: readonly string[] = [];
  /** Rows that may have changed without an event. They are read again when the reader sees them. */
  private readonly unsure = new Set<string>();
  private hasReset = false;
  private readonly changed = new Map<string, InvocationRow>();
  private showTimer: ReturnType<typeof setTimeout> | undefined;
  private catchUpTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly filters: ListFilters) {
    // What changes between the answer and the opening of the stream would be missed.
    void connectionKnown().then(() => this.loadNewest());
  }

  /** Reads the first page, in place of all rows. */
  async loadNewest(): Promise<void> {
    this.isLoading.value = true;
    const counting = this.readCounts().then(
      () => undefined,
      (error: unknown) => error,
    );
    try {
      const page = await this.readPage();
      this.unsure.clear();
      this.rows.value = page.items;
      this.cursor.value = page.nextCursor;
      this.partial.value = page;
      this.released.value = 0;
      this.error.value = undefined;
      this.fresh.value = new Map();
      this.mayHaveMore.value = false;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.isLoading.value = false;
      // Rows that changed while the page was read: the feed has a newer state of them than the page.
      this.showChanges();
    }
    const failure = await counting;
    if (failure !== undefined) this.error.value = failure;
  }

  /** Reads the next page behind the last row. */
  async loadOlder(): Promise<void> {
    const cursor = this.cursor.value;
    if (cursor === null || this.isLoadingMore.value) return;
    this.isLoadingMore.value = true;
    try {
      const page = await this.readPage(cursor);
      const { kept, released } = releaseFirst(mergeRows(this.rows.value, page.items), MOST_ROWS);
      this.released.value += released;
      this.rows.value = kept;
      this.cursor.value = page.nextCursor;
      this.error.value = undefined;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.isLoadingMore.value = false;
    }
  }

  /** Shows the invocations that wait. */
  async showFresh(): Promise<void> {
    const fresh = [...this.fresh.value.values()];
    if (this.mayHaveMore.value || fresh.length > MOST_FRESH || this.released.value > 0) return this.loadNewest();
    this.fresh.value = new Map();
    this.rows.value = mergeRows(this.rows.value, fresh);
    this.addToCount(fresh.length);
  }

  /** Takes an event of the feed. It costs no request, unless the feed has left changes out. */
  accept({ event, data }: FeedEvent): void {
    if (event === 'invocation') this.takeRow(data as InvocationRow);
    else if (event === 'dropped' || event === 'reset' || event === RETURNED) this.distrust(event);
  }

  /** Notes which rows the reader sees. */
  see(ids: readonly string[]): void {
    this.inView = ids;
    if (ids.some((id) => this.unsure.has(id))) this.catchUpSoon();
  }

  /** Nothing is shown any more. */
  close(): void {
    clearTimeout(this.showTimer);
    clearTimeout(this.catchUpTimer);
  }

  /** The feed has left changes out: any row may have changed, and there may be new ones. After a return it repeats the new ones. */
  private distrust(event: string): void {
    for (const { id } of this.rows.value) this.unsure.add(id);
    if (event !== RETURNED) this.mayHaveMore.value = true;
    this.hasReset ||= event === 'reset';
    this.catchUpSoon();
  }

  /** Reads the rows in view that may have changed, with one request. */
  private async catchUp(): Promise<void> {
    const ids = this.inView.filter((id) => this.unsure.has(id)).slice(0, PAGE);
    if (ids.length === 0) return;
    const { items } = await read<ListPage<InvocationRow>>(PATH, { view: 'row', ids: ids.join(',') });
    for (const id of ids) this.unsure.delete(id);
    this.rows.value = replaceRows(this.rows.value, new Map(items.map((row) => [row.id, row])));
  }

  private takeRow(row: InvocationRow): void {
    this.changed.set(row.id, row);
    this.showTimer ??= setTimeout(() => this.showChanges(), SHOW_MS);
  }

  private showChanges(): void {
    this.showTimer = undefined;
    if (this.isLoading.value || this.changed.size === 0) return;
    const changed = new Map(this.changed);
    this.changed.clear();
    const known = new Set(this.rows.value.map(({ id }) => id));
    const rows = replaceRows(this.rows.value, changed);
    if (rows !== this.rows.value) this.rows.value = rows;
    const last = this.cursor.value === null ? '' : (rows.at(-1)?.id ?? '');
    const fresh = new Map(this.fresh.value);
    for (const [id, row] of changed) {
      if (known.has(id) || id < last) continue;
      const isMatch = matchesRow(this.filters, row);
      if (isMatch === undefined && !this.mayHaveMore.value) this.mayHaveMore.value = true;
      if (isMatch === true && fresh.size <= MOST_FRESH) fresh.set(id, row);
      if (isMatch === false) fresh.delete(id);
    }
    if (fresh.size > 0 || this.fresh.value.size > 0) this.fresh.value = fresh;
  }

  private catchUpSoon(): void {
    this.catchUpTimer ??= setTimeout(() => {
      this.catchUpTimer = undefined;
      // A failure is repeated when the feed returns.
      void this.catchUp().catch(() => undefined);
      if (this.hasReset) void this.readMissed().catch(() => undefined);
      this.hasReset = false;
    }, CATCH_UP_MS);
  }

  /** What has come while the feed knew no position. If the newest page reaches the known rows, it is everything. */
  private async readMissed(): Promise<void> {
    const { items, nextCursor } = await this.readPage();
    const known = new Set(this.rows.value.map(({ id }) => id));
    if (nextCursor === null || items.some(({ id }) => known.has(id))) this.mayHaveMore.value = false;
    for (const row of items) this.takeRow(row);
  }

  private readPage(cursor?: string): Promise<ListPage<InvocationRow>> {
    return read(PATH, { ...queryOf(this.filters), view: 'row', limit: PAGE, cursor });
  }

  private async readCounts(): Promise<void> {
    this.counts.value = await read<InvocationCounts>(`${PATH}/counts`, queryOf(this.filters));
  }

  private addToCount(added: number): void {
    const counts = this.counts.value;
    if (counts) this.counts.value = { ...counts, counts: { ...counts.counts, queued: counts.counts.queued + added } };
  }
}
