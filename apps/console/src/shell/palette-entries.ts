import type { SearchResult, SearchResults } from '@errand/contracts';
import { useEffect, useState } from 'preact/hooks';
import { addressOf, read } from '../api/call-api.js';
import { features, hasScope } from '../api/session.js';
import { isPresent, ROUTES } from '../routes.js';

/** The kind of the entries that are known without a search. */
export const PAGE_KIND = 'Page';

export interface PaletteEntry {
  /** What the entry is: `Page`, `Tool`, … */
  kind: string;
  label: string;
  /** A second line: the id, where the label is not the id. */
  detail?: string;
  path: string;
}

const TYPING_MS = 120;

interface Found {
  text: string;
  results: readonly SearchResult[];
  error?: unknown;
}

/**
 * The pages and things with this name. Pages come at once, things when the API has found them. While `isSearching`, the things are those of the text
 * before.
 */
export function usePaletteEntries(text: string): { entries: PaletteEntry[]; isSearching: boolean; error: unknown } {
  const wanted = text.trim();
  const [found, setFound] = useState<Found>({ text: '', results: [] });
  useEffect(() => {
    if (wanted === '' || !hasScope('read')) return undefined;
    const ended = new AbortController();
    const search = async () => {
      const { items } = await read<SearchResults>('/v1/search', { q: wanted.slice(0, 256) }, ended.signal);
      setFound({ text: wanted, results: items });
    };
    const timer = setTimeout(() => {
      search().catch((error: unknown) => ended.signal.aborted || setFound({ text: wanted, results: [], error }));
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [wanted]);
  const isSearching = wanted !== '' && found.text !== wanted && hasScope('read');
  // The results of the text before stay until those of this one are there.
  const results = wanted === '' ? [] : found.results.map(toEntry).filter((entry) => entry !== undefined);
  return { entries: [...pagesNamed(wanted), ...results], isSearching, error: isSearching ? undefined : found.error };
}

function pagesNamed(text: string): PaletteEntry[] {
  const wanted = text.toLowerCase();
  return ROUTES.filter((route) => route.group !== undefined && isPresent(route, features()))
    .filter(({ title }) => title.toLowerCase().includes(wanted))
    .map(({ title, path }) => ({ kind: PAGE_KIND, label: title, path: path === '/console' ? '/console/' : path }));
}

/** Undefined for a thing whose page this server does not have. */
function toEntry({ kind, id, label }: SearchResult): PaletteEntry | undefined {
  const at = encodeURIComponent(id);
  const [word, path] = {
    invocation: ['Invocation', `/console/invocations/${at}`],
    refusal: ['Refusal', `/console/refusals/${at}`],
    tool: ['Tool', `/console/tools/${at}`],
    agent: ['Agent', addressOf('/console/invocations', { agent: id })],
    session: ['Session', `/console/sessions/${at}`],
    queue: ['Queue', `/console/queues/${at}`],
  }[kind];
  if (word === undefined || path === undefined) return undefined;
  return { kind: word, label, path, ...(label !== id && { detail: id }) };
}
