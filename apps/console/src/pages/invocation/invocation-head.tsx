import type { Invocation } from '@errand/contracts';
import { useLocation } from 'preact-iso';
import { useState, type StateUpdater, type Dispatch } from 'preact/hooks';
import { hasScope } from '../../api/session.js';
import { ActionButton } from '../../parts/action-button.js';
import { now } from '../../parts/clock.js';
import { CopyButton } from '../../parts/copy-button.js';
import { formatDuration } from '../../parts/format.js';
import { StatusMark } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { pageOf } from './page-address.js';
import { HostileText } from '../../text/hostile-text.js';
import { LazyPart } from '../../parts/lazy-part.js';
import { CancelDialog } from './cancel-dialog.js';
import { pageToRunAgain } from './run-again.js';
import { pathOf } from './use-invocation.js';
import { isFinal } from '../../statuses.js';

/** More would push the page down. */
const SHOWN_RETRIES = 3;

/** Below the title: the status and what identifies the invocation. */
export function HeadFacts({ invocation }: { invocation: Invocation }) {
  const { id, status, progress, agent, session, createdAt, retryOf, retriedBy = [], parent, tenant } = invocation;
  return (
    <div class="invocation-facts">
      <StatusMark status={status} testId="status" />
      {progress !== null && <Progress value={progress} isOpen={!isFinal(status)} />}
      <code class="invocation-id">{id}</code>
      <span>
        <Time at={createdAt} withDistance />
      </span>
      <Duration invocation={invocation} />
      {tenant !== undefined && <Fact name="Tenant" text={tenant} />}
      {agent !== null && <Fact name="Agent" text={agent} />}
      {session !== null && (
        <Fact name="Session" text={session} href={`/console/sessions/${encodeURIComponent(session)}`} />
      )}
      {retryOf && <Fact name="Retry of" text={retryOf.invocationId} href={pageOf(retryOf.invocationId)} />}
      {retriedBy.slice(-SHOWN_RETRIES).map((retry) => (
        <Fact key={retry} name="Retried as" text={retry} href={pageOf(retry)} />
      ))}
      {parent && <Fact name="Called by" text={parent.invocationId} href={pageOf(parent.invocationId)} />}
    </div>
  );
}

function Fact({ name, text, href }: { name: string; text: string; href?: string }) {
  const shown = <HostileText text={text} limit={80} isFixed />;
  return (
    <span>
      <span class="faint">{name}</span> {href === undefined ? shown : <a href={href}>{shown}</a>}
    </span>
  );
}

function Duration({ invocation: { startedAt, finishedAt, earlierAttempts = [] } }: { invocation: Invocation }) {
  const start = earlierAttempts[0]?.startedAt ?? startedAt;
  if (start === null) return null;
  const end = finishedAt === null ? now.value : Date.parse(finishedAt);
  return (
    <span>
      <span class="faint">{finishedAt === null ? 'For' : 'Took'}</span> {formatDuration(end - Date.parse(start))}
    </span>
  );
}

function Progress({ value, isOpen }: { value: number; isOpen: boolean }) {
  const percent = Math.round(value * 100);
  return (
    <span class="invocation-progress" data-testid="progress">
      {isOpen && <progress max={100} value={percent} aria-label="Progress" />}
      <span class="number">{percent} %</span>
    </span>
  );
}

/** To the right of the title: what one can do. */
export function HeadActions({ invocation, onChange }: { invocation: Invocation; onChange: () => void }) {
  const [dialog, setDialog] = useState<'cancel' | 'retry'>();
  const { route } = useLocation();
  const { id, status } = invocation;
  const isOpen = !isFinal(status);
  const close = () => setDialog(undefined);
  return (
    <>
      <CopyButton text={id} testId="copy-id">
        Copy id
      </CopyButton>
      <CopyButton text={curlOf(id)} testId="copy-curl">
        Copy as curl
      </CopyButton>
      {isOpen && (
        <ActionButton testId="cancel" look="danger" scope="operate" onAction={() => setDialog('cancel')}>
          Cancel
        </ActionButton>
      )}
      {(status === 'failed' || status === 'cancelled') && <RetryButton set={setDialog} />}
      {hasScope('invoke') && (
        <ActionButton testId="run-again" onAction={async () => route(await pageToRunAgain(invocation))}>
          Run again
        </ActionButton>
      )}
      {dialog === 'cancel' && <CancelDialog id={id} onClose={close} onCancelled={onChange} />}
      {dialog === 'retry' && <LazyPart load={loadRetry} props={{ invocation, onClose: close }} />}
    </>
  );
}

const loadRetry = () => import('./retry-dialog.js').then(({ RetryDialog }) => RetryDialog);

function RetryButton({ set }: { set: Dispatch<StateUpdater<'cancel' | 'retry' | undefined>> }) {
  return (
    <ActionButton testId="retry" look="primary" scope="operate" onAction={() => set('retry')}>
      Retry
    </ActionButton>
  );
}

/** A command that reads this invocation. The reader's key is not in it. */
function curlOf(id: string): string {
  return `curl -H "Authorization: Bearer $ERRAND_API_KEY" '${location.origin}${pathOf(id)}'`;
}
