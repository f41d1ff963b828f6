import type { PartialAnswer } from '@errand/contracts';
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use-loaded.js';
import { ErrorNotice, LoadingRows, PartialNotice } from './notices.js';
import type { PageState } from './page.js';

/** A page of a list of the API. */
export interface ListPage<T> extends PartialAnswer {
  items: readonly T[];
  nextCursor: string | null;
}

/** The state of a page that shows one list. */
export function stateOfList<T>({ data, error, isLoading }: Loaded<ListPage<T>>): PageState {
  if (data === undefined) return error !== undefined && !isLoading ? 'error' : 'loading';
  return data.items.length === 0 ? 'empty' : 'ready';
}

/** The state of a page that shows one thing. */
export function stateOfOne({
  data,
  error,
  isLoading,
}: Pick<Loaded<unknown>, 'data' | 'error' | 'isLoading'>): PageState {
  if (data !== undefined) return 'ready';
  return error !== undefined && !isLoading ? 'error' : 'loading';
}

/** A list in its five states: loading, broken, empty, partial and ready. */
export function ListView<T>({
  list,
  empty,
  children,
}: {
  list: Loaded<ListPage<T>>;
  /** Explains why the list is empty, and what to do next. */
  empty: ComponentChildren;
  children: (items: readonly T[]) => ComponentChildren;
}) {
  const { data, error, isLoading, reload } = list;
  if (data === undefined) return isLoading ? <LoadingRows /> : <ErrorNotice error={error} onRetry={reload} />;
  return (
    <>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      <PartialNotice answer={data} />
      {data.items.length === 0 ? empty : children(data.items)}
    </>
  );
}
