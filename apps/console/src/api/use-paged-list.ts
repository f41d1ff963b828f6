import { useEffect, useRef, useState } from 'preact/hooks';
import { showToast } from '../shell/toasts.js';
import type { ListPage } from '../parts/list-view.js';
import { messageOf } from './problems.js';
import { read, type Query } from './call-api.js';
import { useLoaded, type Loaded } from './use-loaded.js';

export interface PagedList<T> extends Loaded<ListPage<T>> {
  /** Reads the next page and appends it. Undefined at the end of the list. */
  loadMore: (() => void) | undefined;
  isLoadingMore: boolean;
  /** How many pages are shown. `reload` sends as many requests. */
  pages: number;
}

/** A list of the API that is read in pages, from its beginning when the path or the query changes. `reload` reads all pages again that are shown. */
export function usePagedList<T>(path: string, query: Query = {}): PagedList<T> {
  const key = `${path} ${JSON.stringify(query)}`;
  const shown = useRef({ key, pages: 1 });
  if (shown.current.key !== key) shown.current = { key, pages: 1 };
  const first = useLoaded(key, (signal) => readPages<T>(path, query, shown.current.pages, signal));
  const latest = useRef(first);
  latest.current = first;
  const [isLoadingMore, setLoadingMore] = useState(false);
  useEffect(() => setLoadingMore(false), [key]);
  const cursor = first.data?.nextCursor ?? null;
  const loadMore = async () => {
    setLoadingMore(true);
    try {
      const next = await read<ListPage<T>>(path, { ...query, cursor: cursor ?? '' });
      first.replace((data) => (data.nextCursor === cursor ? appended(data, next) : data));
      if (shown.current.key !== key) return;
      shown.current.pages += 1;
      // The answer of a read that began before has the earlier pages only.
      if (latest.current.isLoading || latest.current.data?.nextCursor !== cursor) latest.current.reload();
    } catch (error) {
      showToast(messageOf(error), 'bad');
    } finally {
      setLoadingMore(false);
    }
  };
  return {
    ...first,
    isLoadingMore,
    pages: shown.current.pages,
    loadMore: cursor === null ? undefined : () => void loadMore(),
  };
}

/** The first `pages` pages of a list as one. */
async function readPages<T>(path: string, query: Query, pages: number, signal: AbortSignal): Promise<ListPage<T>> {
  let data = await read<ListPage<T>>(path, query, signal);
  for (let n = 1; n < pages && data.nextCursor !== null; n++)
    data = appended(data, await read<ListPage<T>>(path, { ...query, cursor: data.nextCursor }, signal));
  return data;
}

function appended<T>(data: ListPage<T>, next: ListPage<T>): ListPage<T> {
  const missing = new Set([data, next].flatMap(({ missingShards }) => missingShards ?? []));
  return {
    ...next,
    items: [...data.items, ...next.items],
    ...(missing.size > 0 && { partial: true, missingShards: [...missing] }),
  };
}
