import type { Impact, Invocation } from '@errand/contracts';
import { useState } from 'preact/hooks';
import { read, send } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { ActionButton } from '../../parts/action-button.js';
import { Dialog } from '../../parts/dialog.js';
import { formatCount, plural } from '../../parts/format.js';
import { ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { showToast } from '../../shell/toasts.js';
import { HostileText } from '../../text/hostile-text.js';
import { pageOf } from './page-address.js';
import { pathOf } from './use-invocation.js';

/** How many of the running steps and nodes are named. */
const SHOWN_RUNNING = 20;

interface Props {
  id: string;
  onClose: () => void;
  onCancelled: () => void;
}

/** Says what a cancel touches, before it is sent. */
export function CancelDialog({ id, onClose, onCancelled }: Props) {
  const [reason, setReason] = useState('');
  const path = pathOf(id);
  const impact = useLoaded(`${path}/impact`, (signal) => read<Impact>(`${path}/impact`, {}, signal));
  const cancel = async () => {
    await send<Invocation>('POST', `${path}/cancel`, { body: reason.trim() === '' ? {} : { reason: reason.trim() } });
    showToast('The cancel request is stored');
    onCancelled();
    onClose();
  };
  return (
    <Dialog
      title="Cancel this invocation?"
      testId="cancel-dialog"
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            Let it run
          </button>
          <ActionButton testId="cancel-confirm" look="danger" onAction={cancel}>
            Cancel the invocation
          </ActionButton>
        </>
      }
    >
      <div data-testid="impact">
        {impact.data ? (
          <ImpactList impact={impact.data} />
        ) : impact.error === undefined ? (
          <LoadingRows count={2} />
        ) : (
          <ErrorNotice error={impact.error} onRetry={impact.reload} />
        )}
      </div>
      <label class="field">
        <span class="field-label">Reason, for those who read the result</span>
        <input
          class="input"
          maxLength={1_000}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
    </Dialog>
  );
}

function ImpactList({ impact }: { impact: Impact }) {
  const { running, children, waiters, moreWaiters = 0, callbackOwed, effectsDone } = impact;
  const waiting = waiters.length + moreWaiters;
  const isNothing = running.length + children + waiters.length + effectsDone.length === 0 && !callbackOwed;
  const more = running.length - SHOWN_RUNNING;
  if (isNothing) return <p>Nothing runs for it now, and nothing else waits for it.</p>;
  return (
    <ul class="impact">
      {running.slice(0, SHOWN_RUNNING).map(({ step, nodeId, where }) => (
        <li key={`${step}/${nodeId ?? ''}`}>
          Stops step {step}
          {nodeId !== undefined && (
            <>
              , node <HostileText text={nodeId} limit={120} isFixed />
            </>
          )}
          , which runs in a <HostileText text={where} limit={120} isFixed />
        </li>
      ))}
      {more > 0 && (
        <li>
          Stops {formatCount(more)} more {plural(more, 'node', 'nodes')}
        </li>
      )}
      {children > 0 && (
        <li>
          Ends {formatCount(children)} {plural(children, 'script or call', 'scripts or calls')} that it started
        </li>
      )}
      {waiters.length > 0 && (
        <li>
          {formatCount(waiting)} {plural(waiting, 'other invocation waits', 'other invocations wait')} for its end:{' '}
          {waiters.slice(0, 5).map((waiter) => (
            <a key={waiter} href={pageOf(waiter)} class="mono">
              <HostileText text={waiter} limit={60} isFixed />{' '}
            </a>
          ))}
        </li>
      )}
      {callbackOwed && <li>Its receiver gets a callback that it was cancelled</li>}
      {effectsDone.map(({ step, toolId }) => (
        <li key={step} class="impact-done">
          Does not undo the effect of step {step}, <HostileText text={toolId} limit={120} isFixed />
        </li>
      ))}
    </ul>
  );
}
