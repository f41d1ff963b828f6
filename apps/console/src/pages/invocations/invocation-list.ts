import type { InvocationCounts, InvocationRow, PartialAnswer } from '@errand/contracts';
import { computed, signal, type Signal } from '@preact/signals';
import type { FeedEvent } from '../../live/follow-feed.js';
import { RETURNED } from '../../live/follow-feed.js';
import { connectionKnown } from '../../live/live-state.js';
import type { ListPage } from '../../parts/list-view.js';
import { freshAfter } from './fresh-rows.js';
import { HeldChanges } from './held-changes.js';
import { mergeRows, releaseFirst, replaceRows } from './merge-rows.js';
import { readCounts, readRowPage, readRowsOf } from './read-rows.js';
import { withMoreQueued } from './sum-of-counts.js';
import { UnsureRows } from './unsure-rows.js';
import type { ListFilters } from './url-filters.js';

/** More rows than this are not held: those at the other end are released. */
const MOST_ROWS = 6_000;
/** More new invocations than this are not held; the button then reads the first page. */
const MOST_FRESH = 500;

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
  private readonly unsure = new UnsureRows((ids) => this.catchUp(ids));
  /** The feed has lost its position since the last catch-up. */
  private hasReset = false;
  private readonly changes = new HeldChanges(
    () => this.isLoading.value,
    (changed) => this.show(changed),
  );
  /** Ends the reads of rows when a new first page is wanted, or when the list is not shown any more. */
  private generation = new AbortController();

  constructor(readonly filters: ListFilters) {
    // What changes between the answer and the opening of the stream would be missed.
    void connectionKnown().then(() => (this.generation.signal.aborted ? undefined : this.loadNewest()));
  }

  /** Reads the first page, in place of all rows. Rows that are on their way for the rows before are dropped. */
  async loadNewest(): Promise<void> {
    this.generation.abort();
    this.generation = new AbortController();
    const ended = this.generation.signal;
    this.isLoadingMore.value = false;
    const counting = this.loadCounts(ended);
    await this.loadPage(this.isLoading, undefined, (page) => this.replaceAll(page));
    // The rows do not wait for the counts.
    const failure = await counting;
    if (failure !== undefined && !ended.aborted) this.error.value = failure;
  }

  /** Reads the next page behind the last row. */
  async loadOlder(): Promise<void> {
    const cursor = this.cursor.value;
    if (cursor === null || this.isLoadingMore.value || this.isLoading.value) return;
    await this.loadPage(this.isLoadingMore, cursor, (page) => this.append(page));
  }

  /** Shows the invocations that wait. */
  async showFresh(): Promise<void> {
    const fresh = [...this.fresh.value.values()];
    if (this.mayHaveMore.value || fresh.length > MOST_FRESH || this.released.value > 0) return this.loadNewest();
    this.fresh.value = new Map();
    this.rows.value = mergeRows(this.rows.value, fresh);
    this.counts.value = withMoreQueued(this.counts.value, fresh.length);
  }

  /** Takes an event of the feed. It costs no request, unless the feed has left changes out. */
  accept({ event, data }: FeedEvent): void {
    if (event === 'invocation') this.changes.take(data as InvocationRow);
    else if (event === 'dropped' || event === 'reset' || event === RETURNED) this.distrust(event);
  }

  /** Notes which rows the reader sees. */
  see(ids: readonly string[]): void {
    this.unsure.see(ids);
  }

  /** Nothing is shown any more. */
  close(): void {
    this.generation.abort();
    this.changes.close();
    this.unsure.close();
  }

  /** Reads a page, and shows it unless another first page is wanted meanwhile. */
  private async loadPage(
    isBusy: Signal<boolean>,
    cursor: string | undefined,
    show: (page: ListPage<InvocationRow>) => void,
  ): Promise<void> {
    const ended = this.generation.signal;
    await this.changes.during(async () => {
      isBusy.value = true;
      try {
        const page = await readRowPage(this.filters, { cursor, signal: ended });
        if (!ended.aborted) show(page);
      } catch (error) {
        if (!ended.aborted) this.error.value = error;
      } finally {
        if (!ended.aborted) isBusy.value = false;
      }
    });
  }

  /** @returns the error of a failed read */
  private async loadCounts(ended: AbortSignal): Promise<unknown> {
    try {
      const counts = await readCounts(this.filters, ended);
      if (!ended.aborted) this.counts.value = counts;
      return undefined;
    } catch (error) {
      return error;
    }
  }

  private replaceAll(page: ListPage<InvocationRow>): void {
    this.unsure.trustAll();
    this.rows.value = page.items;
    this.cursor.value = page.nextCursor;
    this.partial.value = page;
    this.released.value = 0;
    this.error.value = undefined;
    this.fresh.value = new Map();
    this.mayHaveMore.value = false;
  }

  private append(page: ListPage<InvocationRow>): void {
    const { kept, released } = releaseFirst(mergeRows(this.rows.value, page.items), MOST_ROWS);
    this.released.value += released;
    this.rows.value = kept;
    this.cursor.value = page.nextCursor;
    this.error.value = undefined;
  }

  /** The feed has left changes out: any row may have changed, and there may be new ones. After a return it repeats the new ones. */
  private distrust(event: string): void {
    if (event !== RETURNED) this.mayHaveMore.value = true;
    this.hasReset ||= event === 'reset';
    this.unsure.distrust(this.rows.value.map(({ id }) => id));
  }

  /** Reads the rows in view that may have changed, with one request. */
  private async catchUp(ids: readonly string[]): Promise<void> {
    if (this.hasReset) void this.readMissed().catch(() => undefined);
    this.hasReset = false;
    if (ids.length === 0) return;
    await this.changes.during(async () => {
      const items = await readRowsOf(ids, this.generation.signal);
      this.unsure.trust(ids);
      this.rows.value = replaceRows(this.rows.value, new Map(items.map((row) => [row.id, row])));
    });
  }

  private show(changed: ReadonlyMap<string, InvocationRow>): void {
    const known = new Set(this.rows.value.map(({ id }) => id));
    const rows = replaceRows(this.rows.value, changed);
    if (rows !== this.rows.value) this.rows.value = rows;
    const last = this.cursor.value === null ? '' : (rows.at(-1)?.id ?? '');
    const other = [...changed.values()].filter(({ id }) => !known.has(id) && id >= last);
    const { fresh, isUnsure } = freshAfter(this.fresh.value, other, { filters: this.filters, most: MOST_FRESH });
    this.fresh.value = fresh;
    if (isUnsure) this.mayHaveMore.value = true;
  }

  /** What has come while the feed knew no position. If the newest page reaches the known rows, it is everything. */
  private async readMissed(): Promise<void> {
    await this.changes.during(async () => {
      const { items, nextCursor } = await readRowPage(this.filters, { signal: this.generation.signal });
      const known = new Set(this.rows.value.map(({ id }) => id));
      if (nextCursor === null || items.some(({ id }) => known.has(id))) this.mayHaveMore.value = false;
      for (const row of items) this.changes.takeRead(row);
    });
  }
}
