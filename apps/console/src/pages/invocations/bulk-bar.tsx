import { hasScope } from '../../api/session.js';
import { ActionButton } from '../../parts/action-button.js';
import { formatCount } from '../../parts/format.js';
import type { RowSelection } from './row-selection.js';

export type BulkAction = 'cancel' | 'retry';

interface Props {
  selection: RowSelection;
  /** How many invocations match the filters, as text. */
  matching: string | undefined;
  /** All rows that are shown are chosen. */
  isAllShown: boolean;
  onAction: (action: BulkAction) => void;
}

/** What can be done with the chosen rows. */
export function BulkBar({ selection, matching, isAllShown, onAction }: Props) {
  const count = selection.count.value;
  if (count === 0 || !hasScope('operate')) return null;
  const isWhole = selection.isWhole.value;
  return (
    <div class="bulk-bar" role="toolbar" aria-label="Actions for the selection" data-testid="bulk-bar">
      <span>{isWhole ? `All ${matching ?? ''} that match` : `${formatCount(count)} selected`}</span>
      {isAllShown && !isWhole && matching !== undefined && (
        <button
          type="button"
          class="link"
          data-testid="select-matching"
          onClick={() => (selection.isWhole.value = true)}
        >
          Select all {matching} that match
        </button>
      )}
      <span class="bulk-actions">
        <ActionButton testId="bulk-cancel" scope="operate" look="danger" onAction={() => onAction('cancel')}>
          Cancel…
        </ActionButton>
        <ActionButton testId="bulk-retry" scope="operate" onAction={() => onAction('retry')}>
          Retry…
        </ActionButton>
        <button type="button" class="button" onClick={() => selection.clear()}>
          Clear selection
        </button>
      </span>
    </div>
  );
}
