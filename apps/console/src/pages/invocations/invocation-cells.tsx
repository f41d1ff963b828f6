import type { InvocationRow } from '@errand/contracts';
import { Component } from 'preact';
import { now } from '../../parts/clock.js';
import { formatDuration } from '../../parts/format.js';
import { StatusMark } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { TimeInText } from '../../parts/time-in-text.js';
import { HostileText } from '../../text/hostile-text.js';
import { markedString } from '../../text/mark-text.js';

export interface RowProps {
  row: InvocationRow;
  /** From 0, with the released rows. */
  index: number;
  top: number;
  isSelected: boolean;
  isActive: boolean;
  onSelect: (id: string, isRange: boolean) => void;
  onActivate: (id: string) => void;
}

/** A row of the grid. It is rendered again only when one of its properties changes. */
export class InvocationGridRow extends Component<RowProps> {
  override shouldComponentUpdate(next: Readonly<RowProps>): boolean {
    const { row, index, top, isSelected, isActive } = this.props;
    return (
      next.row !== row ||
      next.index !== index ||
      next.top !== top ||
      next.isSelected !== isSelected ||
      next.isActive !== isActive
    );
  }

  override render({ row, index, top, isSelected, isActive, onSelect, onActivate }: RowProps) {
    return (
      <div
        role="row"
        class={isSelected ? 'grid-row grid-row-selected' : 'grid-row'}
        style={{ transform: `translateY(${top}px)` }}
        data-testid="row"
        data-id={row.id}
        data-status={row.status}
        aria-selected={isSelected}
        aria-rowindex={index + 2}
        tabIndex={isActive ? 0 : -1}
        onFocus={() => onActivate(row.id)}
      >
        <span role="gridcell" class="cell-check">
          <input
            type="checkbox"
            data-testid="select-row"
            aria-label={`Select ${row.id}`}
            checked={isSelected}
            tabIndex={-1}
            onClick={(event) => onSelect(row.id, event.shiftKey)}
          />
        </span>
        <Cells row={row} />
      </div>
    );
  }
}

function Cells({ row }: { row: InvocationRow }) {
  return (
    <>
      <span role="gridcell" class="cell-status">
        <StatusMark status={row.status} />
      </span>
      <span role="gridcell" class="cell-tool">
        <a
          class="cell-link"
          data-testid="row-link"
          href={`/console/invocations/${encodeURIComponent(row.id)}`}
          tabIndex={-1}
          title={markedString(row.toolIds.join(', '))}
        >
          <HostileText text={row.toolIds.join(', ') || row.id} isFixed />
        </a>
      </span>
      <span role="gridcell" class="cell-detail">
        <Detail row={row} />
      </span>
      <span role="gridcell" class="cell-agent" title={markedString(row.agent ?? '')}>
        {row.agent === null ? <span class="faint">–</span> : <HostileText text={row.agent} isFixed />}
      </span>
      <span role="gridcell" class="cell-session" title={markedString(row.session ?? '')}>
        {row.session === null ? <span class="faint">–</span> : <HostileText text={row.session} isFixed />}
      </span>
      <span role="gridcell" class="cell-time">
        <Time at={row.createdAt} />
      </span>
      <span role="gridcell" class="cell-duration number">
        <Duration row={row} />
      </span>
    </>
  );
}

/** What a reader looks for first: the error, the question, or how far it is. */
function Detail({ row }: { row: InvocationRow }) {
  if (row.errorType !== null)
    return (
      <span title={markedString(row.errorMessage ?? '')}>
        <span class="error-type">{row.errorType}</span> <HostileText text={row.errorMessage ?? ''} isFixed />
      </span>
    );
  if (row.waitingFor !== null) return <TimeInText text={`Waits for ${row.waitingFor}`} isFixed />;
  if (row.status !== 'running') return row.attempts > 1 ? <span class="faint">{row.attempts} attempts</span> : null;
  const steps = row.steps.total > 1 ? `${row.steps.done} of ${row.steps.total} steps` : '';
  if (row.progress === null) return <span class="faint">{steps}</span>;
  return (
    <span class="cell-progress">
      <progress value={row.progress} max={1} aria-label="Progress" /> {Math.round(row.progress * 100)} % {steps}
    </span>
  );
}

/** How long it ran, or has run until now. */
function Duration({ row: { status, startedAt, finishedAt } }: { row: InvocationRow }) {
  if (startedAt === null || (finishedAt === null && status !== 'running')) return <>–</>;
  const end = finishedAt === null ? now.value : Date.parse(finishedAt);
  return <>{formatDuration(Math.max(0, end - Date.parse(startedAt)))}</>;
}
