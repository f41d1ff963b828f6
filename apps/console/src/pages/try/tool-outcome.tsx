import type { Invocation, Status } from '@errand/contracts';
import { useRef, useState } from 'preact/hooks';
import { read, send } from '../../api/call-api.js';
import { messageOf, RefusedRequest } from '../../api/problems.js';
import { formatDuration } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { StatusMark } from '../../parts/status-mark.js';
import { showToast } from '../../shell/toasts.js';
import { HostileText } from '../../text/hostile-text.js';
import { submissionOf } from './tool-draft.js';

const FINAL: ReadonlySet<Status> = new Set(['succeeded', 'failed', 'cancelled']);

/** How long one read waits for the end of a run. */
const READ_SECONDS = 2;

/** What a dry run answers: what would run. */
interface DryRun {
  calls: readonly { toolId: string; version: string; arguments: unknown }[];
  warnings?: readonly { message: string }[];
  queue: string;
  etaMs: number | null;
}

type Outcome = { dryRun: DryRun } | { invocation: Invocation } | { refused: unknown };

export interface ToolRun {
  outcome: Outcome | undefined;
  dryRun: (args: string) => Promise<void>;
  submit: (args: string) => Promise<void>;
}

/** Runs a tool, or asks what would run. The last request decides what is shown. */
export function useToolRun(toolId: string): ToolRun {
  const [outcome, setOutcome] = useState<Outcome>();
  const latest = useRef(0);
  const begin = () => {
    const own = ++latest.current;
    return (next: Outcome) => {
      if (own === latest.current) setOutcome(next);
      return own === latest.current;
    };
  };
  const dryRun = async (args: string) => {
    const show = begin();
    try {
      const query = { dryRun: true };
      const bodyText = submissionOf(toolId, args);
      show({ dryRun: await send<DryRun>('POST', '/v1/invocations', { query, bodyText }) });
    } catch (error) {
      show({ refused: error });
    }
  };
  /** A read waits for the end on the server. A wait for a person shows with the next one. */
  const follow = async (accepted: Invocation, show: (next: Outcome) => boolean): Promise<void> => {
    let invocation = accepted;
    while (show({ invocation }) && !FINAL.has(invocation.status))
      invocation = await read<Invocation>(`/v1/invocations/${invocation.id}`, { wait: READ_SECONDS });
  };
  const submit = async (args: string) => {
    const show = begin();
    try {
      const accepted = await send<Invocation>('POST', '/v1/invocations', { bodyText: submissionOf(toolId, args) });
      follow(accepted, show).catch((error: unknown) => showToast(messageOf(error), 'bad'));
    } catch (error) {
      show({ refused: error });
    }
  };
  return { outcome, dryRun, submit };
}

/** What became of a run, or what a dry run says. */
export function ToolOutcome({ outcome }: { outcome: Outcome | undefined }) {
  if (!outcome) return null;
  const kind = 'dryRun' in outcome ? 'dry-run' : 'invocation' in outcome ? outcome.invocation.status : 'refused';
  return (
    <section
      class="panel panel-body stack"
      data-testid="outcome"
      data-outcome={kind}
      aria-label="Outcome"
      role="status"
    >
      {'dryRun' in outcome && <WouldRun run={outcome.dryRun} />}
      {'invocation' in outcome && <Ran invocation={outcome.invocation} />}
      {'refused' in outcome && <Refused error={outcome.refused} />}
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

function Ran({ invocation: { id, status, result, error } }: { invocation: Invocation }) {
  return (
    <>
      <p>
        <StatusMark status={status} /> <a href={`/console/invocations/${id}`}>{id}</a>
      </p>
      {status === 'waiting_external' && (
        <p>
          It waits for a person; answer it in the <a href="/console/inbox">inbox</a>.
        </p>
      )}
      {error !== null && (
        <p class="field-error">
          {error.type}: <HostileText text={error.message} />
        </p>
      )}
      {status === 'succeeded' && <JsonText value={result} label="Result" />}
    </>
  );
}

function Refused({ error }: { error: unknown }) {
  const errors = error instanceof RefusedRequest ? (error.body.errors ?? []) : [];
  return (
    <>
      <h2>This would not run</h2>
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
