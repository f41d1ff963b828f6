import type { ListPage } from '../../parts/list-view.js';

/** The first look reads at most so many pages. */
const MOST_PAGES = 5;
/** More finds are not kept. */
const MOST_KEPT = 500;

/** What was found, the newest first, among how many items. */
export interface Finds<T> {
  items: readonly T[];
  looked: number;
}

interface Search<Item, T> {
  keyOf: (item: Item) => string;
  /** What is kept of an item that is sought. */
  pick: (item: Item) => T | undefined;
}

/**
 * Looks for items of a list that has no filter for them. The first look reads several pages one after the other, later ones read only the
 * newest page. Finds are kept, so that newer items do not push them out of sight.
 */
export class RecentFinds<Item, T> {
  private found = new Map<string, T>();
  private looked = 0;
  /** The newest page of the last look. */
  private newest: ReadonlySet<string> | undefined;

  constructor(private readonly search: Search<Item, T>) {}

  /** @param readPage reads a page, without a cursor the newest one; undefined if the server lacks the list */
  async look(readPage: (cursor?: string) => Promise<ListPage<Item> | undefined>): Promise<Finds<T>> {
    const { keyOf, pick } = this.search;
    const first = await readPage();
    const items = [...(first?.items ?? [])];
    let cursor = first?.nextCursor;
    for (let page = 1; this.newest === undefined && page < MOST_PAGES && cursor; page += 1) {
      const next = await readPage(cursor);
      items.push(...(next?.items ?? []));
      cursor = next?.nextCursor;
    }
    this.looked += items.filter((item) => this.newest?.has(keyOf(item)) !== true).length;
    this.newest = new Set(first?.items.map(keyOf));
    const now = items.flatMap((item) => {
      const picked = pick(item);
      return picked === undefined ? [] : [[keyOf(item), picked] as const];
    });
    const kept = [...this.found].filter(([key]) => now.every(([each]) => each !== key));
    this.found = new Map([...now, ...kept].slice(0, MOST_KEPT));
    return { items: [...this.found.values()], looked: this.looked };
  }
}
