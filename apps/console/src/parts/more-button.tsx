import type { PagedList } from '../api/use-paged-list.js';

/** At the end of a list: reads its next page. */
export function MoreButton<T>({ list }: { list: PagedList<T> }) {
  if (!list.loadMore) return null;
  return (
    <button type="button" class="button" data-testid="older" disabled={list.isLoadingMore} onClick={list.loadMore}>
      Show more
    </button>
  );
}
