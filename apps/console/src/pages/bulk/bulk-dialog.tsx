import type { BulkAction, BulkDryRun, BulkKind, JsonObject } from '@errand/contracts';
import { send } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { ActionButton } from '../../parts/action-button.js';
import { Dialog } from '../../parts/dialog.js';
import { formatCount } from '../../parts/format.js';
import { ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { StatusMark } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { showToast } from '../../shell/toasts.js';
import { isStatus } from '../../statuses.js';
import { BULK_WORDS, countOf } from './bulk-words.js';
import { BulkSample } from './bulk-sample.js';
import './bulk.css';

interface Props {
  action: BulkKind;
  /** The filters of the list of invocations. Either `filter` or `ids` is given. */
  filter?: JsonObject;
  ids?: readonly string[];
  onClose: () => void;
  /** Called with the id of the action when it has begun. */
  onBegun?: (id: string) => void;
}

/**
 * Shows what a bulk action would touch, by a dry run of exactly these props, and begins it. Other props make a new dry run, so that the
 * confirmed token always belongs to what the dialog shows.
 */
export function BulkDialog({ action, filter, ids, onClose, onBegun }: Props) {
  const wanted = { action, ...(ids ? { ids } : { filter: filter ?? {} }), dryRun: true };
  const dryRun = useLoaded(JSON.stringify(wanted), (signal) =>
    send<BulkDryRun>('POST', '/v1/bulk', { body: wanted, signal }),
  );
  const { title, confirm } = BULK_WORDS[action];
  const found = dryRun.isLoading ? undefined : dryRun.data;
  const begin = async () => {
    if (!found) return;
    const begun = await send<BulkAction>('POST', '/v1/bulk', { body: { token: found.token } });
    showToast(`The bulk action has begun: ${countOf(begun.matched)}. The page “Bulk actions” shows its progress`);
    onClose();
    onBegun?.(begun.id);
  };
  return (
    <Dialog
      title={title}
      testId="bulk-dialog"
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            Change nothing
          </button>
          <ActionButton
            testId="bulk-confirm"
            scope="operate"
            look={action === 'cancel' ? 'danger' : 'primary'}
            isDisabled={!found || found.matched === 0}
            onAction={begin}
          >
            {confirm(found ? formatCount(found.matched) : '…')}
          </ActionButton>
        </>
      }
    >
      {found && <DryRunResult action={action} found={found} />}
      {!found && !dryRun.isLoading && <ErrorNotice error={dryRun.error} onRetry={dryRun.reload} />}
      {dryRun.isLoading && <LoadingRows count={4} />}
    </Dialog>
  );
}

function DryRunResult({ action, found }: { action: BulkKind; found: BulkDryRun }) {
  const { matched, byStatus, sample, asOf, expiresAt } = found;
  if (matched === 0)
    return (
      <p>
        <strong data-testid="bulk-count" data-count="0">
          No invocation
        </strong>{' '}
        matches: nothing is left to do.
      </p>
    );
  return (
    <>
      <p>
        <strong data-testid="bulk-count" data-count={matched}>
          {countOf(matched)}
        </strong>{' '}
        {BULK_WORDS[action].effect}
      </p>
      <ul class="bulk-statuses">
        {Object.entries(byStatus).map(([status, count]) => (
          <li key={status}>
            {isStatus(status) && <StatusMark status={status} />} {formatCount(count)}
          </li>
        ))}
      </ul>
      <BulkSample rows={sample} matched={matched} />
      <p class="faint">
        As of <Time at={asOf} />. Nothing that was accepted later is touched. This dry run can be confirmed until{' '}
        <Time at={expiresAt} />.
      </p>
    </>
  );
}
