import { useEffect, useState } from 'preact/hooks';
import { showToast } from '../shell/toasts.js';
import type { ListPage } from '../parts/list-view.js';
import { messageOf } from './problems.js';
import { read, type Query } from './call-api.js';
import { useLoaded, type Loaded } from './use-loaded.js';

export interface PagedList<T> extends Loaded<ListPage<T>> {
  /** Reads the next page and appends it. Undefined at the end of the list. */
  loadMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

/** A list of the API that is read in pages, from its beginning when the path or the query changes. */
export function usePagedList<T>(path: string, query: Query = {}): PagedList<T> {
  const key = `${path} ${JSON.stringify(query)}`;
  const first = useLoaded(key, (signal) => read<ListPage<T>>(path, query, signal));
  const [isLoadingMore, setLoadingMore] = useState(false);
  useEffect(() => setLoadingMore(false), [key]);
  const cursor = first.data?.nextCursor ?? null;
  const loadMore = async () => {
    setLoadingMore(true);
    try {
      const next = await read<ListPage<T>>(path, { ...query, cursor: cursor ?? '' });
      first.replace((data) => (data.nextCursor === cursor ? appended(data, next) : data));
    } catch (error) {
      showToast(messageOf(error), 'bad');
    } finally {
      setLoadingMore(false);
    }
  };
  return { ...first, isLoadingMore, loadMore: cursor === null ? undefined : () => void loadMore() };
}

function appended<T>(data: ListPage<T>, next: ListPage<T>): ListPage<T> {
  const isPartial = (data.partial ?? false) || (next.partial ?? false);
  return { ...next, items: [...data.items, ...next.items], ...(isPartial && { partial: true }) };
}
