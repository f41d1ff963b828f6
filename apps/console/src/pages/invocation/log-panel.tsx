import './log-panel.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { addressOf, read } from '../../api/call-api.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import type { LogPage } from '@errand/contracts';
import { formatCount, plural } from '../../parts/format.js';
import { EmptyNotice, ErrorNotice } from '../../parts/notices.js';
import { useTypedText } from '../../parts/use-typed-text.js';
import { WindowedRows } from '../../parts/windowed-rows.js';
import { isTyping, singleKeysAllowed } from '../../shell/single-keys.js';
import { HostileText } from '../../text/hostile-text.js';
import { LogLines } from './log-lines.js';
import { pathOf } from './use-invocation.js';

const LINE_PX = 20;
const TYPING_MS = 200;

interface Props {
  id: string;
  /** The number of steps. */
  steps: number;
  /** Grows when there are new lines. */
  round: number;
  /** More lines may come. */
  isOpen: boolean;
}

/** What scripts and nodes have logged, of any length. */
export function LogPanel({ id, steps, round, isOpen }: Props) {
  const { get, set } = useUrlQuery();
  const [q, step] = [get('q'), get('step')];
  const { lines, error, retry } = useLogLines(id, q, step, round + (isOpen ? 0 : 1));
  const lost = lines.firstKept - 1;
  const [isFollowing, setFollowing] = useState(isOpen);
  const scroller = useRef<HTMLDivElement | null>(null);
  useFollow(scroller, isFollowing, lines.count);
  useFollowKey(() => setFollowing((before) => !before));
  // A reader who scrolls back wants to stay there.
  const onWheel = ({ deltaY }: WheelEvent) => deltaY < 0 && setFollowing(false);
  const onKeyDown = ({ key }: KeyboardEvent) => /^(?:ArrowUp|PageUp|Home)$/.test(key) && setFollowing(false);
  return (
    <section class="log-panel" aria-label="Log">
      <div class="log-tools" role="search">
        <SearchBox value={q} onSearch={(text) => set({ q: text }, true)} />
        <StepFilter steps={steps} value={step} onChoose={(chosen) => set({ step: chosen })} />
        <button
          type="button"
          class="button"
          data-testid="log-follow"
          aria-pressed={isFollowing}
          onClick={() => setFollowing(!isFollowing)}
        >
          {isFollowing ? 'Following' : 'Follow'}
        </button>
        <a
          class="button"
          data-testid="log-download"
          href={addressOf(`${pathOf(id)}/logs`, { format: 'text', q, step })}
          download={`${id}.log`}
        >
          Download
        </a>
        {/* The number of a log that grows is not read out: it changes too often. */}
        <span
          class="faint log-count"
          data-testid="log-count"
          role={q === '' ? undefined : 'status'}
          data-count={lines.count}
        >
          {countOf(lines)}
        </span>
      </div>
      {lost > 0 && (
        <p class="notice-line" data-testid="log-lost">
          The first {plural(lost, 'line is', `${formatCount(lost)} lines are`)} no longer kept.
        </p>
      )}
      {error !== undefined && <ErrorNotice error={error} onRetry={retry} />}
      {lines.count === 0 && error === undefined && <NoLines isFiltered={lines.isFiltered} isOpen={isOpen} />}
      <div onWheel={onWheel} onKeyDown={onKeyDown}>
        <WindowedRows
          className={lines.count === 0 ? 'log-lines log-none' : 'log-lines'}
          count={lines.count}
          rowHeight={LINE_PX}
          scroller={scroller}
          attributes={{ role: 'log', 'aria-live': 'off', 'aria-label': 'Log lines', 'data-testid': 'log' }}
          onRange={(first, last) => lines.show(first, last)}
          row={(row) => <Row key={row} row={row} lines={lines} hasSteps={steps > 1} />}
        />
      </div>
    </section>
  );
}

function countOf({ count, total, isFiltered, isComplete }: LogLines): string {
  const all = `${formatCount(total)} ${plural(total, 'line', 'lines')}`;
  return isFiltered ? `${formatCount(count)} of ${all}${isComplete ? '' : ', searching'}` : all;
}

/** The lines for this filter. New ones are read when `round` grows. */
function useLogLines(id: string, q: string, step: string, round: number) {
  const [, render] = useState(0);
  const [error, setError] = useState<unknown>();
  const lines = useMemo(() => {
    const filter = { ...(q !== '' && { q }), ...(step !== '' && { step }) };
    const changed = () => {
      setError(undefined);
      render((count) => count + 1);
    };
    return new LogLines((query) => read<LogPage>(`${pathOf(id)}/logs`, { ...query }), filter, changed, setError);
  }, [id, q, step]);
  useEffect(() => void lines.refresh(), [lines, round]);
  return { lines, error, retry: () => void lines.refresh() };
}

function useFollow(scroller: { current: HTMLDivElement | null }, isFollowing: boolean, count: number): void {
  useEffect(() => {
    const element = scroller.current;
    if (isFollowing && element) element.scrollTop = element.scrollHeight;
  }, [isFollowing, count]);
}

function useFollowKey(toggle: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === 'f' && singleKeysAllowed() && !isTyping(event)) toggle();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

function Row({ row, lines, hasSteps }: { row: number; lines: LogLines; hasSteps: boolean }) {
  const line = lines.lineAt(row);
  if (!line) return <div class="log-line" aria-busy="true" />;
  return (
    <div
      class={`log-line log-${line.stream}`}
      data-testid="log-line"
      data-n={line.n}
      data-step={line.step}
      title={line.at}
    >
      <span class="log-n">{line.n}</span>
      {hasSteps && <span class="log-step-of">{line.step}</span>}
      <span class="log-text">
        <HostileText text={line.line} />
      </span>
    </div>
  );
}

function SearchBox({ value, onSearch }: { value: string; onSearch: (text: string) => void }) {
  const { typed, type } = useTypedText({ value, delayMs: TYPING_MS, onCommit: onSearch });
  return (
    <input
      type="search"
      class="input log-search"
      data-testid="log-search"
      placeholder="Search the log"
      aria-label="Search the log"
      maxLength={256}
      value={typed}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}

function StepFilter({ steps, value, onChoose }: { steps: number; value: string; onChoose: (step: string) => void }) {
  const shown = Math.min(steps, 200);
  return (
    <select
      class="select log-step"
      data-testid="log-step"
      aria-label="Lines of which step"
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">All steps</option>
      {Array.from({ length: shown }, (_, index) => (
        <option key={index} value={index}>
          Step {index}
        </option>
      ))}
    </select>
  );
}

function NoLines({ isFiltered, isOpen }: { isFiltered: boolean; isOpen: boolean }) {
  if (isFiltered) return <EmptyNotice title="No line fits">Search for another text, or choose all steps.</EmptyNotice>;
  return (
    <EmptyNotice title={isOpen ? 'Nothing is logged yet' : 'Nothing was logged'}>
      A script logs what it writes to stderr; a node logs with <code>context.log()</code>.
    </EmptyNotice>
  );
}
