import './timeline.css';
import type { Invocation, Timeline } from '@errand/contracts';
import { useUrlChoice } from '../../api/use-url-choice.js';
import { now } from '../../parts/clock.js';
import { formatCount, formatDuration, plural } from '../../parts/format.js';
import { ShapeIcon } from '../../parts/status-mark.js';
import { WindowedRows } from '../../parts/windowed-rows.js';
import { STATUS_LOOKS } from '../../statuses.js';
import { HostileText } from '../../text/hostile-text.js';
import { markedString } from '../../text/mark-text.js';
import type { Loss } from './losses.js';
import { useNodeNames } from './node-names.js';
import { StepDetail } from './step-detail.js';
import { boundsOf, durationsOf, timeSpans, type TimeSpan } from './time-spans.js';
import type { Segment } from './shared-waits.js';

const ROW_PX = 34;
/** More spans than this scroll in a frame of their own. */
const MOST_WITHOUT_FRAME = 14;

interface Scale {
  from: number;
  length: number;
  now: number;
}

interface Props {
  invocation: Invocation;
  timeline: Timeline | undefined;
  losses: readonly Loss[];
}

/** The steps and nodes of an invocation over time, and the chosen one in detail. */
export function TimelinePanel({ invocation, timeline, losses }: Props) {
  const spans = timeSpans(invocation, timeline, losses);
  const nameOf = useNodeNames(invocation);
  const missing = timeline?.missing ?? 0;
  const { from, to = now.value } = boundsOf(invocation);
  const scale = { from, length: Math.max(1, to - from), now: to };
  const spanOf = (key: string) => spans.find((span) => keyOf(span) === key) ?? spans[0];
  const choice = useUrlChoice('span', (key) => {
    const span = spanOf(key);
    return span ? keyOf(span) : '';
  });
  const chosen = spanOf(choice.chosen);
  const move = (event: KeyboardEvent) => {
    const distance = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (distance === undefined || !chosen) return;
    event.preventDefault();
    const next = spans[spans.indexOf(chosen) + distance];
    if (!next) return;
    choice.choose(keyOf(next), true);
    document.getElementById(`span-${keyOf(next)}`)?.focus();
  };
  return (
    <div class="timeline-split">
      <section class="timeline panel" data-testid="timeline" aria-label="Timeline" onKeyDown={move}>
        <TimeAxis scale={scale} />
        <WindowedRows
          className={spans.length > MOST_WITHOUT_FRAME ? 'timeline-rows timeline-frame' : 'timeline-rows'}
          count={spans.length}
          rowHeight={ROW_PX}
          attributes={{ 'aria-label': 'Steps and nodes', role: 'group' }}
          row={(index) => {
            const span = spans[index];
            return (
              span && (
                <SpanRow
                  key={keyOf(span)}
                  span={span}
                  displayName={nameOf(span.index, span.nodeId)}
                  scale={scale}
                  isChosen={span === chosen}
                  onChoose={() => choice.choose(keyOf(span))}
                />
              )
            );
          }}
        />
        {missing > 0 && (
          <p class="timeline-note faint">
            The oldest {plural(missing, 'event is', `${formatCount(missing)} events are`)} not kept any more, so early
            waits may be missing.
          </p>
        )}
      </section>
      {chosen && <StepDetail invocation={invocation} span={chosen} displayName={nameOf(chosen.index, chosen.nodeId)} />}
    </div>
  );
}

function keyOf({ index, nodeId }: TimeSpan): string {
  return nodeId === undefined ? `${index}` : `${index}/${nodeId}`;
}

const TICKS = [0, 0.25, 0.5, 0.75, 1];
/** From a minute on, durations have two units, and fewer of them fit. */
const FEW_TICKS = [0, 0.5, 1];
const LONG_MS = 60_000;

function TimeAxis({ scale: { length } }: { scale: Scale }) {
  return (
    <div class="timeline-axis" aria-hidden="true">
      <span />
      <span class="timeline-ticks">
        {(length < LONG_MS ? TICKS : FEW_TICKS).map((part) => (
          <span key={part}>{formatDuration(length * part)}</span>
        ))}
      </span>
    </div>
  );
}

interface RowProps {
  span: TimeSpan;
  /** Of a node whose workflow names it. */
  displayName: string | undefined;
  scale: Scale;
  isChosen: boolean;
  onChoose: () => void;
}

function SpanRow({ span, displayName, scale, isChosen, onChoose }: RowProps) {
  const { index, nodeId, name, status, attempts } = span;
  const { tone, shape, word } = STATUS_LOOKS[status];
  const { wait, run } = durationsOf(span, scale.now);
  const waited = wait > 0 ? `, waited ${formatDuration(wait)}` : '';
  const shown = displayName === undefined ? (nodeId ?? name) : `${nodeId ?? name} ${displayName}`;
  const tried = attempts > 1 ? ` ×${attempts}` : '';
  return (
    <div
      class={nodeId === undefined ? 'span-row span-step' : 'span-row'}
      data-testid={nodeId === undefined ? 'step' : 'span'}
      data-index={index}
      data-node={nodeId}
      data-status={status}
      onClick={onChoose}
    >
      <button
        type="button"
        id={`span-${keyOf(span)}`}
        class="span-name"
        aria-pressed={isChosen}
        aria-label={`${markedString(shown.slice(0, 240))}${tried}: ${word}, ran ${formatDuration(run)}${waited}`}
      >
        <span class={`span-shape tone-${tone}`}>
          <ShapeIcon shape={shape} />
        </span>
        <span class="span-label">
          <HostileText text={nodeId ?? name} limit={120} isFixed />
          {displayName !== undefined && (
            <span class="faint">
              {' '}
              <HostileText text={displayName} limit={120} isFixed />
            </span>
          )}
        </span>
        {attempts > 1 && <span class="span-count">×{attempts}</span>}
      </button>
      <span class="span-track" aria-hidden="true">
        {span.segments.map((segment) => (
          <Bar key={segment.from} segment={segment} status={status} scale={scale} />
        ))}
      </span>
      <span class="span-time number">
        {span.segments.some(({ kind }) => kind === 'run') ? formatDuration(run) : '–'}
      </span>
    </div>
  );
}

function Bar({ segment, status, scale }: { segment: Segment; status: TimeSpan['status']; scale: Scale }) {
  const { kind, from, to = scale.now, attempt, waiting, hasFailed = false } = segment;
  const left = share(from - scale.from, scale);
  const width = Math.max(0.4, share(to - from, scale));
  const own = status === 'waiting_external' ? 'running' : STATUS_LOOKS[status].tone;
  const tone = kind === 'wait' ? 'queued' : hasFailed ? 'bad' : own;
  const length = formatDuration(to - from);
  const title = kind === 'wait' ? `Waited ${length} for ${waiting ?? ''}` : `Attempt ${attempt}: ${length}`;
  return (
    <span
      class={`bar bar-${kind} bar-${tone}${segment.to === undefined ? ' bar-open' : ''}`}
      data-testid="segment"
      data-kind={kind}
      data-attempt={attempt}
      title={title}
      style={{ left: `${Math.min(left, 99.6)}%`, width: `${Math.min(width, 100 - Math.min(left, 99.6))}%` }}
    />
  );
}

function share(ms: number, { length }: Scale): number {
  return Math.min(100, Math.max(0, (ms / length) * 100));
}
