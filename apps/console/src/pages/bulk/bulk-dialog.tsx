import type { InvocationRow, Status } from '@errand/contracts';
import { send } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { ActionButton } from '../../parts/action-button.js';
import { Dialog } from '../../parts/dialog.js';
import { formatCount } from '../../parts/format.js';
import { ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { StatusMark } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { showToast } from '../../shell/toasts.js';
import { STATUS_LOOKS } from '../../statuses.js';
import { HostileText } from '../../text/hostile-text.js';

interface Props {
  action: 'cancel' | 'retry' | 'redeliver';
  /** Everything that matches this query of the API. */
  filter?: Readonly<Record<string, string>>;
  ids?: readonly string[];
  onClose: () => void;
}

interface DryRun {
  token: string;
  matched: number;
  byStatus: Partial<Record<Status, number>>;
  sample: readonly InvocationRow[];
  asOf: string;
}

const WORDS = { cancel: 'Cancel', retry: 'Retry', redeliver: 'Send again' } as const;

/** Shows what a bulk action would touch, and starts it. The dry run is that of the present selection, and bound to its moment. */
export function BulkDialog({ action, filter, ids, onClose }: Props) {
  const target = filter ? { filter } : { ids };
  const dryRun = useLoaded(JSON.stringify([action, target]), (signal) =>
    send<DryRun>('POST', '/v1/bulk', { body: { action, ...target, dryRun: true }, signal }),
  );
  const { data } = dryRun;
  const start = async () => {
    const { id } = await send<{ id: string }>('POST', '/v1/bulk', { body: { token: data?.token } });
    showToast(`The action ${id} has started`);
    onClose();
  };
  return (
    <Dialog
      title={`${WORDS[action]} invocations`}
      testId="bulk-dialog"
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
          <ActionButton
            testId="bulk-confirm"
            scope="operate"
            look={action === 'cancel' ? 'danger' : 'primary'}
            isDisabled={!data || data.matched === 0}
            onAction={start}
          >
            {WORDS[action]} {data ? formatCount(data.matched) : ''}
          </ActionButton>
        </>
      }
    >
      {data ? <Matched dryRun={data} /> : dryRun.isLoading && <LoadingRows count={4} />}
      {dryRun.error !== undefined && <ErrorNotice error={dryRun.error} onRetry={dryRun.reload} />}
    </Dialog>
  );
}

function Matched({ dryRun: { matched, byStatus, sample, asOf } }: { dryRun: DryRun }) {
  const statuses = Object.entries(byStatus) as [Status, number][];
  return (
    <>
      <p>
        <strong data-testid="bulk-count">{formatCount(matched)}</strong> invocations are touched, of those accepted
        until <Time at={asOf} />:{' '}
        {statuses
          .map(([status, count]) => `${formatCount(count)} ${STATUS_LOOKS[status].word.toLowerCase()}`)
          .join(', ')}
      </p>
      <ul data-testid="bulk-sample" class="stack">
        {sample.map((row) => (
          <li key={row.id}>
            <StatusMark status={row.status} /> <HostileText text={row.toolIds.join(', ')} isFixed />{' '}
            <span class="faint mono">{row.id}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
