import type { DeliveryAttempt, ListedDelivery } from '@errand/contracts';
import { send } from '../../api/call-api.js';
import { ActionButton } from '../../parts/action-button.js';
import { formatDuration } from '../../parts/format.js';
import { InvocationLink } from '../../parts/invocation-link.js';
import { Time } from '../../parts/time.js';
import { showToast } from '../../shell/toasts.js';
import { HostileText } from '../../text/hostile-text.js';
import { DeliveryMark } from './delivery-mark.js';

/** One delivery of the list: where to, what came of it, and what can be done. */
export function DeliveryRow({ delivery, onRepeated }: { delivery: ListedDelivery; onRepeated: () => void }) {
  const { id, invocationId, index, status, receiver, url, attempts, nextAttemptAt } = delivery;
  const last = attempts.at(-1);
  const repeat = async () => {
    await send('POST', `/v1/invocations/${encodeURIComponent(invocationId)}/deliveries/${index}/redeliver`);
    showToast('The callback is sent again');
    onRepeated();
  };
  return (
    <tr data-testid="delivery" data-id={id} data-status={status} data-receiver={receiver}>
      <td>
        <DeliveryMark status={status} />
      </td>
      <td class="delivery-address">
        <strong>
          <HostileText text={receiver} limit={120} isFixed />
        </strong>
        <div class="faint mono">
          <HostileText text={url} limit={160} isFixed />
        </div>
      </td>
      <td>
        <InvocationLink id={invocationId} tab="deliveries" />
        {index > 0 && <div class="faint">Redelivery {index}</div>}
      </td>
      <td>
        <LastAttempt attempt={last} count={attempts.length} />
        {nextAttemptAt !== null && (
          <div class="faint">
            Next <Time at={nextAttemptAt} withDistance />
          </div>
        )}
      </td>
      <td class="row-actions">
        {(status === 'failed' || status === 'delivered') && (
          <ActionButton testId="redeliver" scope="operate" onAction={repeat}>
            Send again
          </ActionButton>
        )}
      </td>
    </tr>
  );
}

function LastAttempt({ attempt, count }: { attempt: DeliveryAttempt | undefined; count: number }) {
  if (!attempt) return <span class="faint">No attempt yet</span>;
  const { at, durationMs, statusCode, error } = attempt;
  return (
    <div data-testid="attempt">
      {statusCode !== undefined && <span class="mono">{statusCode} </span>}
      {error !== undefined && <HostileText text={error} limit={240} isFixed />}
      <div class="faint">
        <Time at={at} withDistance /> · {formatDuration(durationMs)} · {count} {count === 1 ? 'attempt' : 'attempts'}
      </div>
    </div>
  );
}
