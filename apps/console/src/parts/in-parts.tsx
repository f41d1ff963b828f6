import './in-parts.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PagedList } from '../api/use-paged-list.js';
import { useUrlQuery } from '../api/use-url-query.js';
import { formatCount } from './format.js';

const SIZE = 50;
/** The name in the query of the address for the part of a page's only list. Other filters lead to its first part. */
export const PART = 'part';

interface Props<T> {
  items: readonly T[];
  /** The name in the query of the address that holds the number of the part, from 1. */
  at: string;
  /** How many items a part has. */
  size?: number;
  /** What the items are, in the plural: `calls`. */
  label: string;
  /** The list of the API that has further items: the next part reads them. */
  list?: Pick<PagedList<T>, 'loadMore' | 'isLoadingMore'>;
  /** Renders a part. `offset` is the place of its first item in `items`, from 0. */
  children: (part: readonly T[], offset: number) => ComponentChildren;
}

/** A list of any length, of which one part is in the page. The number of the part is in the address, so that Back and links keep it. */
export function InParts<T>({ items, at, size = SIZE, label, list, children }: Props<T>) {
  const { get, set } = useUrlQuery();
  const wanted = partIn(get(at));
  const last = Math.max(1, Math.ceil(items.length / size));
  const part = Math.min(wanted, last);
  const loadMore = list?.loadMore;
  const isLoading = list?.isLoadingMore ?? false;
  useWanted(wanted > last ? `${wanted} ${items.length}` : undefined, isLoading ? undefined : loadMore);
  const offset = (part - 1) * size;
  const shown = items.slice(offset, offset + size);
  const go = (to: number) => set({ [at]: to === 1 ? undefined : String(to) });
  const hasMore = part < last || loadMore !== undefined;
  // A part that is not full is filled first: its missing items would never be shown, because the next part begins behind them. Where the next
  // page could not be read, the address names the next part already.
  const isFull = items.length >= offset + size;
  const next = () => (wanted > last || !isFull ? loadMore?.() : go(part + 1));
  return (
    <>
      {(hasMore || part > 1) && (
        <nav class="in-parts" aria-label={`Parts of the ${label}`} data-testid="parts" data-at={at} data-part={part}>
          <span role="status">
            {`${formatCount(offset + 1)} to ${formatCount(offset + shown.length)} of `}
            {`${formatCount(items.length)}${loadMore ? ' or more' : ''} ${label}`}
          </span>
          <span class="actions">
            <PartButton testId="previous-part" isOff={part === 1} onGo={() => go(part - 1)}>
              Previous
            </PartButton>
            <PartButton testId="next-part" isOff={!hasMore || isLoading} onGo={next}>
              Next
            </PartButton>
          </span>
        </nav>
      )}
      {children(shown, offset)}
    </>
  );
}

/** Reads on where the address names a part that was not read yet. A read that failed is not repeated for the same `missing`. */
function useWanted(missing: string | undefined, loadMore: (() => void) | undefined): void {
  const tried = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (missing === undefined) tried.current = undefined;
    if (missing === undefined || !loadMore || tried.current === missing) return;
    tried.current = missing;
    loadMore();
  }, [missing, loadMore === undefined]);
}

/** A button that leads nowhere keeps the focus of the keyboard, so it is not disabled. */
function PartButton({
  testId,
  isOff,
  onGo,
  children,
}: {
  testId: string;
  isOff: boolean;
  onGo: () => void;
  children: string;
}) {
  return (
    <button
      type="button"
      class="button button-small"
      data-testid={testId}
      aria-disabled={isOff ? 'true' : undefined}
      onClick={() => isOff || onGo()}
    >
      {children}
    </button>
  );
}

/** The newest items of a list that has the oldest first, and how many are not shown. */
export function LastItems<T>({
  items,
  most = 200,
  label,
  children,
}: {
  items: readonly T[];
  most?: number;
  /** What the items are, in the plural: `attempts`. */
  label: string;
  children: (part: readonly T[], offset: number) => ComponentChildren;
}) {
  const offset = Math.max(0, items.length - most);
  return (
    <>
      {offset > 0 && (
        <p class="faint" data-testid="not-shown">
          The {formatCount(most)} newest {label} are shown, {formatCount(offset)} earlier ones are not.
        </p>
      )}
      {children(items.slice(offset), offset)}
    </>
  );
}

/** The number of a part in an address; 1 for any other text. */
export function partIn(text: string): number {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}
