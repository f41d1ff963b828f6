import type { BulkAction } from '@errand/contracts';
import { send } from '../../api/call-api.js';
import { ActionButton } from '../../parts/action-button.js';
import { formatCount } from '../../parts/format.js';
import { InvocationLink } from '../../parts/invocation-link.js';
import { ShapeIcon } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { showToast } from '../../shell/toasts.js';
import { HostileText } from '../../text/hostile-text.js';
import { BULK_LOOKS, BULK_WORDS, countOf } from './bulk-words.js';

interface Props {
  action: BulkAction;
  /** The reader has just begun it. */
  isNew: boolean;
  onChange: () => void;
}

/** An action with more failures shows the first ones. */
const MOST_FAILURES = 20;

/** One bulk action with its progress. */
export function BulkCard({ action, isNew, onChange }: Props) {
  const { id, action: kind, name, asOf, by, startedAt, finishedAt, state } = action;
  const { word, tone, shape } = BULK_LOOKS[state];
  const abort = async () => {
    await send('POST', `/v1/bulk/${encodeURIComponent(id)}/abort`);
    showToast('The bulk action was stopped');
    onChange();
  };
  return (
    <li
      class={isNew ? 'panel panel-body bulk bulk-new' : 'panel panel-body bulk'}
      data-testid="bulk-action"
      data-id={id}
      data-state={state}
    >
      <header class="bulk-head">
        <h2>{BULK_WORDS[kind].name}</h2>
        <span class={`status tone-${tone}`}>
          <ShapeIcon shape={shape} />
          {word}
        </span>
        {name !== null && (
          <span class="faint">
            <HostileText text={name} limit={80} isFixed />
          </span>
        )}
        {state === 'running' && (
          <span class="bulk-abort">
            <ActionButton testId="bulk-abort" scope="operate" look="danger" onAction={abort}>
              Stop
            </ActionButton>
          </span>
        )}
      </header>
      <Progress action={action} />
      <dl class="facts">
        <dt>Of</dt>
        <dd>
          <Selected action={action} />
        </dd>
        <dt>As of</dt>
        <dd>
          <Time at={asOf} />
        </dd>
        <dt>Begun</dt>
        <dd>
          <Time at={startedAt} withDistance /> by <HostileText text={by} limit={80} isFixed />
        </dd>
        {finishedAt !== null && (
          <>
            <dt>Ended</dt>
            <dd>
              <Time at={finishedAt} />
            </dd>
          </>
        )}
      </dl>
      <Failures action={action} />
    </li>
  );
}

function Progress({ action: { id, done, skipped, failedCount, matched, state } }: { action: BulkAction }) {
  const dealt = done + skipped + failedCount;
  const parts = [
    `${formatCount(done)} done`,
    ...(skipped > 0 ? [`${formatCount(skipped)} had changed`] : []),
    ...(failedCount > 0 ? [`${formatCount(failedCount)} failed`] : []),
  ];
  return (
    <div class="bulk-progress">
      <progress
        aria-label={`Progress of ${id}`}
        max={Math.max(1, matched)}
        value={state === 'done' ? Math.max(1, matched) : Math.min(dealt, matched)}
      />
      <span>
        {parts.join(', ')} of {formatCount(matched)}
      </span>
    </div>
  );
}

function Selected({ action: { action: kind, filter, matched } }: { action: BulkAction }) {
  if (filter === null) return <>A selection of {countOf(matched)}</>;
  const conditions = Object.entries(filter).map(([name, value]) => `${name}: ${textOf(value)}`);
  if (conditions.length === 0) return <>{BULK_WORDS[kind].all}</>;
  return <HostileText text={conditions.join(', ')} limit={240} />;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Failures({ action: { failed, failedCount } }: { action: BulkAction }) {
  if (failed.length === 0) return null;
  const shown = failed.slice(0, MOST_FAILURES);
  return (
    <details>
      <summary>{formatCount(failedCount)} failed</summary>
      <ul class="bulk-failures">
        {shown.map(({ id, code }) => (
          <li key={id}>
            <InvocationLink id={id} /> <code>{code}</code>
          </li>
        ))}
      </ul>
      {failedCount > shown.length && <p class="faint">The API has up to 1,000 of them: GET /v1/bulk</p>}
    </details>
  );
}
