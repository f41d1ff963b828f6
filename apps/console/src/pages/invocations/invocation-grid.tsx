import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { useNarrow } from '../../parts/use-narrow.js';
import { useVirtualRows } from '../../parts/use-virtual-rows.js';
import { isTyping, singleKeysAllowed } from '../../shell/single-keys.js';
import { InvocationGridRow } from './invocation-cells.js';
import type { InvocationList } from './invocation-list.js';
import type { RowSelection } from './row-selection.js';
import { sumOfCounts } from './sum-of-counts.js';

const ROW_HEIGHT = 38;
const NARROW_ROW_HEIGHT = 76;
/** The next page is read when the reader is so near to the end of the rows. */
const NEAR_END = 30;
const HEADERS = ['Status', 'Tool', 'Detail', 'Agent', 'Session', 'Accepted', 'Duration'] as const;

/** The rows of the list. Only those in view are in the document. */
export function InvocationGrid({ list, selection }: { list: InvocationList; selection: RowSelection }) {
  const element = useRef<HTMLDivElement>(null);
  const rows = list.rows.value;
  const order = rows.map(({ id }) => id);
  const activeId = selection.active.value;
  const active = activeId === undefined ? -1 : order.indexOf(activeId);
  const rowHeight = useNarrow() ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const visible = useVirtualRows({
    count: rows.length,
    rowHeight,
    element: () => element.current,
    kept: active,
  });
  list.see(visible.inView.flatMap((index) => order[index] ?? []));
  useKeptScroll(element, list, rowHeight);
  useReadOn(element, list, rowHeight);
  useGridKeys(element, { order, selection, scrollTo: visible.scrollTo, page: visible.inView.length });
  const ids = selection.ids.value;
  const isAll = rows.length > 0 && ids.size >= rows.length;
  return (
    <div
      ref={element}
      class="grid"
      role="grid"
      data-testid="rows"
      aria-label="Invocations"
      aria-multiselectable="true"
      aria-rowcount={rowCountOf(list)}
      tabIndex={-1}
    >
      <div role="row" class="grid-head" aria-rowindex={1}>
        <span role="columnheader" class="cell-check">
          <input
            type="checkbox"
            data-testid="select-all"
            aria-label="Select all rows that are shown"
            checked={isAll}
            onClick={() => (isAll ? selection.clear() : selection.chooseAll(order))}
          />
        </span>
        {HEADERS.map((header) => (
          <span key={header} role="columnheader" class={`cell-${CELLS.get(header) ?? ''}`}>
            {header}
          </span>
        ))}
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${visible.height}px` }}>
        {visible.indexes.map((index) => {
          const row = rows[index];
          return (
            row && (
              <InvocationGridRow
                key={row.id}
                row={row}
                index={list.released.value + index}
                top={index * rowHeight}
                isSelected={ids.has(row.id)}
                isActive={active === index || (active === -1 && index === visible.inView[0])}
                onSelect={(id, isRange) =>
                  selection.toggle(
                    id,
                    list.rows.value.map((each) => each.id),
                    isRange,
                  )
                }
                onActivate={(id) => (selection.active.value = id)}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** The rows of the grid with its head, also those that were not read; -1 if their number is not known. */
function rowCountOf({ cursor, released, rows, counts }: InvocationList): number {
  const read = released.value + rows.value.length;
  if (cursor.value === null) return read + 1;
  const { value } = counts;
  if (!value || value.approximate) return -1;
  return Math.max(sumOfCounts(value), read + 1) + 1;
}

const CELLS = new Map<string, string>([
  ['Status', 'status'],
  ['Tool', 'tool'],
  ['Detail', 'detail'],
  ['Agent', 'agent'],
  ['Session', 'session'],
  ['Accepted', 'time'],
  ['Duration', 'duration'],
]);

/** Rows that are released at the far end do not move the rows in view. After Back, the list is where it was. */
function useKeptScroll(element: { current: HTMLElement | null }, list: InvocationList, rowHeight: number): void {
  const released = useRef(list.released.value);
  useEffect(() => {
    const grid = element.current;
    if (!grid) return undefined;
    grid.scrollTop = list.scrollTop;
    const note = () => (list.scrollTop = grid.scrollTop);
    grid.addEventListener('scroll', note, { passive: true });
    return () => grid.removeEventListener('scroll', note);
  }, [list]);
  useEffect(() => {
    const grid = element.current;
    const more = list.released.value - released.current;
    released.current = list.released.value;
    if (grid && more > 0) grid.scrollTop = Math.max(0, grid.scrollTop - more * rowHeight);
  }, [list.released.value]);
}

/** Reads the next page when the reader comes near the end of the rows, or is still there when rows have come. */
function useReadOn(element: { current: HTMLElement | null }, list: InvocationList, rowHeight: number): void {
  const rows = list.rows.value;
  // Not the number of rows: it stays the same while as many are released as come.
  useEffect(() => {
    const grid = element.current;
    if (!grid) return undefined;
    const readOn = () => {
      const inView = (grid.scrollTop + grid.clientHeight) / rowHeight;
      if (inView >= rows.length - NEAR_END && list.error.value === undefined) void list.loadOlder();
    };
    readOn();
    grid.addEventListener('scroll', readOn, { passive: true });
    return () => grid.removeEventListener('scroll', readOn);
  }, [list, rows, rowHeight]);
}

interface GridKeys {
  order: readonly string[];
  selection: RowSelection;
  scrollTo: (index: number) => void;
  /** How many rows are in view. */
  page: number;
}

/** The keys of the grid. They also work while nothing has the focus. */
function useGridKeys(element: { current: HTMLElement | null }, keys: GridKeys): void {
  const { route } = useLocation();
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    // The focus follows when the row is drawn. Until then, the keys act on that row already.
    let moving: number | undefined;
    const focusRow = (index: number) => {
      const { order, selection, scrollTo } = latest.current;
      const id = order[index];
      if (id === undefined) return;
      selection.active.value = id;
      scrollTo(index);
      if (moving !== undefined) cancelAnimationFrame(moving);
      moving = requestAnimationFrame(() => {
        moving = undefined;
        element.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus();
      });
    };
    const listen = (event: KeyboardEvent) => {
      const target = event.composedPath()[0];
      const isNowhere = target === document.body || target === document.querySelector('main');
      const isHere = target instanceof Node && element.current?.contains(target) === true;
      const isCheckbox = target instanceof HTMLInputElement && target.type === 'checkbox' && isHere;
      if (!isHere && !isNowhere) return;
      if ((isTyping(event) && !isCheckbox) || document.querySelector('dialog[open]')) return;
      const { order, selection, page } = latest.current;
      const id = selection.active.value;
      const active = id === undefined ? -1 : order.indexOf(id);
      // Where nothing has the focus, the other keys scroll the page.
      if (!isHere && moving === undefined && !/^[jk]$/i.test(event.key)) return;
      const to = targetOf(event, { active, last: order.length - 1, page });
      if (to !== undefined) {
        event.preventDefault();
        const next = order[to];
        if (event.shiftKey && next !== undefined) selection.extend(next, order);
        return focusRow(to);
      }
      if (id === undefined || active === -1) return;
      const isRow =
        target instanceof HTMLElement && (target === element.current || target.getAttribute('role') === 'row');
      if (event.key === 'Enter' && (isRow || moving !== undefined)) {
        event.preventDefault();
        return route(`/console/invocations/${encodeURIComponent(id)}`);
      }
      if ((event.key === ' ' && !isCheckbox) || (event.key.toLowerCase() === 'x' && singleKeysAllowed())) {
        event.preventDefault();
        selection.toggle(id, order, event.shiftKey);
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [route]);
}

/** The row to which a key leads; undefined for any other key. */
function targetOf(
  { key }: KeyboardEvent,
  { active, last, page }: { active: number; last: number; page: number },
): number | undefined {
  if (last < 0) return undefined;
  const letter = singleKeysAllowed() ? key.toLowerCase() : '';
  const step = Math.max(1, page - 2);
  const moves = new Map([
    ['ArrowDown', active + 1],
    ['ArrowUp', active - 1],
    ['Home', 0],
    ['End', last],
    ['PageDown', active + step],
    ['PageUp', active - step],
  ]);
  const to = letter === 'j' ? active + 1 : letter === 'k' ? active - 1 : moves.get(key);
  return to === undefined ? undefined : Math.min(last, Math.max(0, to));
}
