import type { Invocation, InvocationSource, TextRange } from '@errand/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { awaitEnd } from '../../api/await-end.js';
import { read } from '../../api/call-api.js';
import { isNotFound, messageOf } from '../../api/problems.js';
import { useLoaded } from '../../api/use-loaded.js';
import { formatCount } from '../../parts/format.js';
import { EmptyNotice, ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { CallList, type ShownCall } from '../../source/call-list.js';
import { ObservationBox } from '../../source/observation-box.js';
import { ProblemList } from '../../source/problem-list.js';
import { SourceText } from '../../source/source-text.js';
import { chosenMark, marksOf } from '../../source/text-marks.js';
import { HostileText } from '../../text/hostile-text.js';

/** The bounds of the slider, in characters. Beyond it, the job has only the beginning of a large result. */
const [LEAST, MOST, STEP] = [200, 8_000, 100];
const KEY_STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -STEP,
  ArrowDown: -STEP,
  ArrowRight: STEP,
  ArrowUp: STEP,
};
const SETTLE_MS = 200;
const WAIT_SECONDS = 20;

/** The tab `text` of an invocation: what the model wrote, what it became, and what the model read. */
export function TextPanel({ id }: { id: string }) {
  const path = `/v1/invocations/${encodeURIComponent(id)}`;
  const invocation = useLoaded(path, (signal) => read<Invocation>(path, {}, signal));
  const source = useLoaded(`${path}/source`, (signal) => read<InvocationSource>(`${path}/source`, {}, signal));
  useEnd(path, invocation);
  if (invocation.data === undefined)
    return invocation.isLoading ? (
      <LoadingRows />
    ) : (
      <ErrorNotice error={invocation.error} onRetry={invocation.reload} />
    );
  return (
    <div class="stack">
      <Written invocation={invocation.data} source={source} />
      <Observed invocation={invocation.data} path={path} />
    </div>
  );
}

/** Shows what an open invocation has become, until it has ended. */
function useEnd(path: string, { data, replace }: ReturnType<typeof useLoaded<Invocation>>): void {
  const isOpen = data !== undefined && data.finishedAt === null;
  const show = useRef(replace);
  show.current = replace;
  useEffect(() => {
    if (!isOpen) return undefined;
    const left = new AbortController();
    const ask = (signal: AbortSignal) => read<Invocation>(path, { wait: WAIT_SECONDS }, signal);
    void awaitEnd(ask, (newest) => show.current(() => newest), left.signal);
    return () => left.abort();
  }, [path, isOpen]);
}

interface WrittenProps {
  invocation: Invocation;
  source: ReturnType<typeof useLoaded<InvocationSource>>;
}

/** The text beside the calls. An invocation without a text still has calls. */
function Written({ invocation, source: { data: source, error, isLoading, reload } }: WrittenProps) {
  const [chosen, choose] = useState<TextRange>();
  const calls = invocation.steps.map((step): ShownCall => {
    const written = source?.calls.find(({ index }) => index === step.index);
    return { ...written, index: step.index, toolId: step.toolId, version: step.version, arguments: step.arguments };
  });
  const marks = source ? [...marksOf(source.text, source), ...(chosen ? [chosenMark(source.text, chosen)] : [])] : [];
  return (
    <div class="source-columns">
      <section class="source-column" aria-label="What the model wrote">
        {source ? (
          <SourceText text={source.text} marks={marks} label="Text of the submission" />
        ) : isLoading ? (
          <LoadingRows />
        ) : isNotFound(error) ? (
          <EmptyNotice title="There is no text to show">
            <HostileText text={messageOf(error)} />
          </EmptyNotice>
        ) : (
          <ErrorNotice error={error} onRetry={reload} />
        )}
        {source && <ProblemList errors={[]} warnings={source.warnings} onChoose={choose} />}
      </section>
      <section class="source-column" aria-label="The calls">
        <CallList calls={calls} onChoose={source && choose} />
      </section>
    </div>
  );
}

/** The exact observation, or the observation for a smaller budget. */
function Observed({ invocation, path }: { invocation: Invocation; path: string }) {
  const [wanted, setWanted] = useState<number>();
  const settled = useSettled(wanted);
  const other = useLoaded(`${path} ${settled ?? ''}`, (signal) =>
    settled === undefined ? Promise.resolve(invocation) : read<Invocation>(path, { maxResultChars: settled }, signal),
  );
  const shown = settled === undefined ? invocation.observation : (other.data?.observation ?? invocation.observation);
  return (
    <ObservationBox observation={shown} none="The invocation has not ended, so there is no observation yet.">
      {invocation.observation !== null && (
        <span class="budget">
          <label for="observation-budget">Budget</label>
          <input
            id="observation-budget"
            data-testid="observation-budget"
            type="range"
            min={LEAST}
            max={MOST}
            // Each number can be set. The arrow keys go further than one character.
            step={1}
            value={wanted ?? MOST}
            aria-valuetext={wanted === undefined ? 'as it was' : `${wanted} characters of each result`}
            onInput={(event) => setWanted(Number(event.currentTarget.value))}
            onKeyDown={(event) => {
              const step = KEY_STEPS[event.key];
              if (step === undefined) return;
              event.preventDefault();
              setWanted(Math.min(MOST, Math.max(LEAST, (wanted ?? MOST) + step)));
            }}
          />
          {wanted === undefined ? (
            'as it was'
          ) : (
            <>
              {formatCount(wanted)} characters of each result
              <button type="button" class="link" onClick={() => setWanted(undefined)}>
                As it was
              </button>
            </>
          )}
        </span>
      )}
    </ObservationBox>
  );
}

/** A value after it has not changed for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
