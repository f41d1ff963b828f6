import { messageOf, RefusedRequest } from '../../api/problems.js';
import { formatDuration } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { HostileText } from '../../text/hostile-text.js';
import { RunOutcome } from './run-outcome.js';

/** What a dry run answers: what would run. */
export interface DryRun {
  calls: readonly { toolId: string; version: string; arguments: unknown }[];
  warnings?: readonly { message: string }[];
  queue: string;
  etaMs: number | null;
}

export type Outcome = { dryRun: DryRun } | { id: string } | { refused: unknown };

/** What became of a run, or what a dry run says. */
export function ToolOutcome({ outcome }: { outcome: Outcome | undefined }) {
  if (!outcome) return null;
  if ('id' in outcome) return <RunOutcome key={outcome.id} id={outcome.id} />;
  const kind = 'dryRun' in outcome ? 'dry-run' : 'refused';
  return (
    <section
      class="panel panel-body stack"
      data-testid="outcome"
      data-outcome={kind}
      aria-label="Outcome"
      role="status"
    >
      {'dryRun' in outcome ? <WouldRun run={outcome.dryRun} /> : <Refused error={outcome.refused} />}
    </section>
  );
}

function WouldRun({ run: { calls, warnings = [], queue, etaMs } }: { run: DryRun }) {
  return (
    <>
      <h2>This would run</h2>
      <p class="faint">
        In the queue {queue}
        {etaMs !== null && <>, in about {formatDuration(etaMs)}</>}. Nothing was submitted.
      </p>
      {warnings.map(({ message }) => (
        <p key={message} class="notice-line">
          <HostileText text={message} />
        </p>
      ))}
      {calls.map((call, index) => (
        <JsonText key={index} value={call} label={`Call ${index}`} />
      ))}
    </>
  );
}

function Refused({ error }: { error: unknown }) {
  const errors = error instanceof RefusedRequest ? (error.body.errors ?? []) : [];
  return (
    <>
      <h2>This does not run</h2>
      <p class="field-error">
        <HostileText text={messageOf(error)} />
      </p>
      <ul>
        {errors.map(({ path, message }, index) => (
          <li key={index}>
            <code>
              <HostileText text={path ?? ''} limit={200} />
            </code>{' '}
            <HostileText text={message ?? ''} limit={500} />
          </li>
        ))}
      </ul>
    </>
  );
}
