import { formatCount } from '../../parts/format.js';
import type { InvocationList } from './invocation-list.js';

/** Shows the invocations that have come since. */
export function FreshButton({ list }: { list: InvocationList }) {
  const count = list.freshCount.value;
  if (count === 0 && !list.mayHaveMore.value) return null;
  return (
    <button type="button" class="new-rows" data-testid="new-rows" onClick={() => void showFresh(list)}>
      {count > 0 ? `${formatCount(count)}${list.mayHaveMore.value ? '+' : ''} new` : 'Look for new ones'}
    </button>
  );
}

/** Which rows are shown, and the way to the newest and to older ones. */
export function ListFoot({ list }: { list: InvocationList }) {
  const { rows, released, cursor, isLoadingMore } = list;
  const first = released.value + 1;
  return (
    <div class="list-foot">
      <span class="faint">
        {rows.value.length > 0 && `Rows ${formatCount(first)} to ${formatCount(released.value + rows.value.length)}`}
        {cursor.value === null && ', the last'}
      </span>
      <span class="actions">
        <button type="button" class="button" data-testid="newest" onClick={() => void showNewest(list)}>
          Newest
        </button>
        <button
          type="button"
          class="button"
          data-testid="older"
          disabled={cursor.value === null || isLoadingMore.value}
          onClick={() => void showOlder(list)}
        >
          Older
        </button>
      </span>
    </div>
  );
}

async function showNewest(list: InvocationList): Promise<void> {
  list.scrollTop = 0;
  toTop();
  if (list.released.value > 0) await list.loadNewest();
  else if (list.freshCount.value > 0 || list.mayHaveMore.value) await list.showFresh();
  toTop();
}

async function showFresh(list: InvocationList): Promise<void> {
  await list.showFresh();
  toTop();
}

function toTop(): void {
  document.querySelector('[data-testid=rows]')?.scrollTo({ top: 0 });
}

/** Reads the next page, and shows its beginning. */
async function showOlder(list: InvocationList): Promise<void> {
  await list.loadOlder();
  const rows = document.querySelector('[data-testid=rows]');
  rows?.scrollBy({ top: rows.clientHeight });
}
