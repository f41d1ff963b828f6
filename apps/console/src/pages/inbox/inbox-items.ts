import type { InboxItem } from '@errand/contracts';
import { useMemo, useRef } from 'preact/hooks';
import type { PagedList } from '../../api/use-paged-list.js';
import type { ListPage } from '../../parts/list-view.js';
import { readDrafts } from './answer-drafts.js';

type InboxPart = ListPage<InboxItem>;
type Filters = Readonly<Record<'kind' | 'toolId' | 'agent', string>>;

/**
 * The items of the inbox in their order. An item that the list has no more stays at its place while this browser has a half-typed answer
 * to it, or the focus in its card.
 */
export function useInboxItems({ data, replace }: PagedList<InboxItem>, filters: Filters) {
  const shown = useRef<readonly InboxItem[]>([]);
  // The items are found in the render that gets the list, so that no card is absent for a moment: it would lose its form and the focus.
  shown.current = useMemo(() => (data === undefined ? [] : itemsOf(data, shown.current, filters)), [data]);
  return {
    items: shown.current,
    gone: shown.current.filter((item) => data !== undefined && hasEnded(item, data)),
    /** The item has its answer, or its draft is discarded. */
    remove: (id: string) => {
      shown.current = shown.current.filter((item) => item.id !== id);
      replace((before) => ({ ...before, items: before.items.filter((item) => item.id !== id) }));
    },
  };
}

function itemsOf(data: InboxPart, shown: readonly InboxItem[], filters: Filters): InboxItem[] {
  const typed = readDrafts().map(({ item }) => item);
  const isHeld = ({ id }: InboxItem) => typed.some((item) => item.id === id) || hasFocus(id);
  const ended = typed.filter((item) => isListed(item, filters) && hasEnded(item, data));
  const all = [...ended, ...shown.filter(isHeld), ...data.items];
  return [...new Map(all.map((item) => [item.id, item])).values()].toSorted(inOrder);
}

/** Whether an item waits no more. One of a page that is not read yet, or of a missing shard, may still wait. */
export function hasEnded(item: InboxItem, { items, nextCursor, partial }: InboxPart): boolean {
  const last = items.at(-1);
  const isRead = nextCursor === null || (last !== undefined && inOrder(item, last) < 0);
  return isRead && partial !== true && !items.some(({ id }) => id === item.id);
}

/** The order of `GET /v1/inbox`. */
function inOrder(one: InboxItem, other: InboxItem): number {
  const [a, b] = [placeOf(one), placeOf(other)];
  return a < b ? -1 : Number(a > b);
}

function placeOf({ until, invocationId, step, nodeId }: InboxItem): string {
  return `${until ?? 'never'} ${invocationId} ${step}/${nodeId ?? ''}`;
}

/** An item that the filters leave out may still wait, although the list lacks it. */
function isListed(item: InboxItem, filters: Filters): boolean {
  return (['kind', 'toolId', 'agent'] as const).every((name) => filters[name] === '' || filters[name] === item[name]);
}

function hasFocus(id: string): boolean {
  return document.getElementById(id)?.contains(document.activeElement) ?? false;
}
