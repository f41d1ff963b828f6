/** The most invocations that one stream follows. */
const MOST = 20;
/** A tab that has said nothing for so long has gone. Tabs in the background speak once a minute at least. */
const GONE_MS = 150_000;

/** What the tabs of a browser follow, for the tab that reads the stream. */
export class FollowedByTabs {
  private readonly tabs = new Map<string, { ids: readonly string[]; at: number }>();

  set(tab: string, ids: readonly string[], now: number): void {
    this.tabs.delete(tab);
    if (ids.length > 0) this.tabs.set(tab, { ids, at: now });
  }

  /** The followed ids, each once and sorted. Of too many, those of the tabs that spoke last. */
  ids(now: number): string[] {
    for (const [tab, { at }] of this.tabs) if (now - at > GONE_MS) this.tabs.delete(tab);
    const newest = [...this.tabs.values()].toReversed().flatMap(({ ids }) => ids);
    return [...new Set(newest)].slice(0, MOST).toSorted();
  }
}
