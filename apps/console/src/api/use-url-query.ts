import { useLocation } from 'preact-iso';

/** Changes of the query of the address. An empty or undefined value removes its name. */
export type QueryChanges = Readonly<Record<string, string | undefined>>;

/** The address with these changes of its query. Names that the page does not know stay. */
export function withQuery(url: string, changes: QueryChanges): string {
  const target = new URL(url, 'http://page');
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') target.searchParams.delete(name);
    else target.searchParams.set(name, value);
  return target.pathname + target.search;
}

/**
 * The query of the address, which holds everything that a reader may want to link or to go back to.
 *
 * @returns `get` for a value, '' without one; `set` for changes, with `replace` for a change that Back skips, such as each typed letter
 */
export function useUrlQuery(): {
  get: (name: string) => string;
  set: (changes: QueryChanges, replace?: boolean) => void;
} {
  const { url, route } = useLocation();
  const values = new URL(url, 'http://page').searchParams;
  return {
    get: (name) => values.get(name) ?? '',
    // The address of now: a timer of an earlier render must not undo a change that came later.
    set: (changes, replace = false) => route(withQuery(location.pathname + location.search, changes), replace),
  };
}
