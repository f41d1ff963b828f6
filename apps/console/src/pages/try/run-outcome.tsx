import type { Invocation } from '@errand/contracts';
import { useEffect, useState } from 'preact/hooks';
import { read } from '../../api/call-api.js';
import { messageOf } from '../../api/problems.js';
import { JsonText } from '../../parts/json-text.js';
import { StatusMark } from '../../parts/status-mark.js';
import { ObservationBox } from '../../source/observation-box.js';
import { HostileText } from '../../text/hostile-text.js';

interface LogLine {
  at: string;
  step: number;
  line: string;
}

const POLL_SECONDS = 2;
const RETRY_MS = 1_000;
/** The last lines that are shown. The page of the invocation has all of them. */
const SHOWN_LINES = 200;

/** An invocation from its submission to its end: its log as it grows, and its outcome. */
export function RunOutcome({ id }: { id: string }) {
  const { invocation, lines, error } = useRun(id);
  return (
    <section class="panel panel-body stack" data-testid="outcome" data-status={invocation?.status} aria-label="Run">
      <header class="outcome-head">
        <h2>Run</h2>
        {invocation && <StatusMark status={invocation.status} />}
        <a href={`/console/invocations/${encodeURIComponent(id)}`}>Open the invocation</a>
        {error !== undefined && (
          <span class="faint">
            <HostileText text={messageOf(error)} />
          </span>
        )}
      </header>
      {lines.length > 0 && (
        <pre class="json-text" role="log" aria-live="off" aria-label="Log" tabIndex={0} data-testid="outcome-log">
          {lines.slice(-SHOWN_LINES).map(({ line }, n) => (
            <div key={n}>
              <HostileText text={line} />
            </div>
          ))}
        </pre>
      )}
      {invocation?.error && (
        <p class="field-error">
          <HostileText text={`${invocation.error.type}: ${invocation.error.message}`} />
        </p>
      )}
      {invocation?.status === 'succeeded' && (
        <>
          <h3>Result</h3>
          <JsonText value={invocation.result} label="Result" testId="outcome-result" />
        </>
      )}
      {invocation?.finishedAt && <ObservationBox observation={invocation.observation} none="There is none." />}
    </section>
  );
}

interface Run {
  invocation?: Invocation;
  lines: readonly LogLine[];
  error?: unknown;
}

/** Follows an invocation until its end. While the API is away, it asks again. */
function useRun(id: string): Run {
  const [run, setRun] = useState<Run>({ lines: [] });
  useEffect(() => {
    const left = new AbortController();
    const path = `/v1/invocations/${encodeURIComponent(id)}`;
    const follow = async () => {
      for (let wait = 0; !left.signal.aborted; wait = POLL_SECONDS) {
        try {
          const invocation = await read<Invocation>(path, { wait }, left.signal);
          const { items } = await read<{ items: LogLine[] }>(`${path}/logs`, {}, left.signal);
          setRun({ invocation, lines: items });
          if (invocation.finishedAt !== null) return;
        } catch (error) {
          if (left.signal.aborted) return;
          setRun((before) => ({ ...before, error }));
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    };
    void follow();
    return () => left.abort();
  }, [id]);
  return run;
}
