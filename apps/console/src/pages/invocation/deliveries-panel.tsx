import type { Delivery, Status } from '@errand/contracts';
import { read, send } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { usePolling } from '../../api/use-polling.js';
import { ActionButton } from '../../parts/action-button.js';
import { formatDuration } from '../../parts/format.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { EmptyNotice, ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { Time } from '../../parts/time.js';
import { showToast } from '../../shell/toasts.js';
import { HostileText } from '../../text/hostile-text.js';
import { DeliveryMark } from '../deliveries/delivery-mark.js';
import { pathOf } from './use-invocation.js';
import { isFinal } from '../../statuses.js';

/** So many deliveries are in the page at a time. */
const SHOWN_DELIVERIES = 10;

/** The callbacks of the invocation, with every attempt to deliver them. */
export function DeliveriesPanel({ id, status }: { id: string; status: Status }) {
  const path = `${pathOf(id)}/deliveries`;
  const list = useLoaded(`${path} ${status}`, (signal) => read<{ items: Delivery[] }>(path, {}, signal));
  // The feed reports no deliveries.
  usePolling(list.data?.items.some((each) => each.status === 'pending') ?? false, list.reload);
  if (!list.data) {
    return list.error === undefined ? (
      <LoadingRows count={2} />
    ) : (
      <ErrorNotice error={list.error} onRetry={list.reload} />
    );
  }
  if (list.data.items.length === 0) {
    return (
      <EmptyNotice title="Nobody asked for a callback">
        A submission with <code>callback: {'{url}'}</code> gets one message when the invocation ends.
      </EmptyNotice>
    );
  }
  return (
    <InParts items={list.data.items} at={PART} size={SHOWN_DELIVERIES} label="deliveries">
      {(part) => (
        <ul class="stack">
          {part.map((delivery) => (
            <DeliveryCard
              key={delivery.id}
              delivery={delivery}
              path={path}
              canRepeat={isFinal(status)}
              onChange={list.reload}
            />
          ))}
        </ul>
      )}
    </InParts>
  );
}

interface CardProps {
  delivery: Delivery;
  path: string;
  canRepeat: boolean;
  onChange: () => void;
}

function DeliveryCard({ delivery, path, canRepeat, onChange }: CardProps) {
  const { id, index, status, url, nextAttemptAt, attempts, webhookId } = delivery;
  const redeliver = async () => {
    await send('POST', `${path}/${index}/redeliver`, { body: {} });
    showToast('The message is sent again');
    onChange();
  };
  return (
    <li class="panel panel-body delivery" data-testid="delivery" data-id={id} data-status={status}>
      <div class="delivery-head">
        <DeliveryMark status={status} />
        <span class="mono">
          <HostileText text={url} limit={300} />
        </span>
        <ActionButton testId="redeliver" scope="operate" isDisabled={!canRepeat} onAction={redeliver}>
          Send again
        </ActionButton>
      </div>
      <p class="faint">
        Message <code>{webhookId}</code>
        {nextAttemptAt !== null && (
          <>
            , next attempt <Time at={nextAttemptAt} withDistance />
          </>
        )}
      </p>
      {attempts.length > 0 && <Attempts attempts={attempts} />}
    </li>
  );
}

function Attempts({ attempts }: { attempts: Delivery['attempts'] }) {
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label="Attempts">
      <table>
        <thead>
          <tr>
            <th scope="col">Attempt</th>
            <th scope="col">At</th>
            <th scope="col">Took</th>
            <th scope="col">Answer of the receiver</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map(({ at, durationMs, statusCode, error }, number) => (
            <tr key={at} data-testid="attempt" data-status={statusCode}>
              <td class="number">{number + 1}</td>
              <td>
                <Time at={at} />
              </td>
              <td>{formatDuration(durationMs)}</td>
              <td>
                {statusCode !== undefined && <code>{statusCode} </code>}
                {error !== undefined && <HostileText text={error} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
