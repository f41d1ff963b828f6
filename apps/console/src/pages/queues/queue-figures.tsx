import type { ShownQueue } from '@errand/contracts';
import { Figure, Figures, SlotUse } from '../../parts/figure.js';
import { formatCount, formatDuration } from '../../parts/format.js';
import { Mark } from '../../parts/mark.js';
import { Time } from '../../parts/time.js';
import { QUEUE_LOOKS, type QueueState } from '../../statuses.js';
import { HostileText } from '../../text/hostile-text.js';

/** What a queue does now. */
export function stateOfQueue({ paused, consumers, active, waiting }: ShownQueue): QueueState {
  if (paused) return 'paused';
  if (consumers === 0) return waiting > 0 ? 'stuck' : 'unserved';
  return active + waiting > 0 ? 'working' : 'idle';
}

export function QueueMark({ queue }: { queue: ShownQueue }) {
  return <Mark {...QUEUE_LOOKS[stateOfQueue(queue)]} />;
}

/** The numbers of a queue. */
export function QueueFigures({ queue }: { queue: ShownQueue }) {
  const { waiting, active, slots, later, owed, oldestMs, perMinute, p50WaitMs, consumers } = queue;
  return (
    <Figures>
      <Figure name="Waiting" testId="depth">
        {formatCount(waiting)}
      </Figure>
      <Figure name="Running" testId="running">
        <SlotUse used={active} slots={slots} />
      </Figure>
      <Figure name="Oldest waits" testId="oldest">
        {oldestMs > 0 ? formatDuration(oldestMs) : <span class="faint">nothing waits</span>}
      </Figure>
      <Figure name="Ended, last minute" testId="rate">
        {formatCount(perMinute)}
      </Figure>
      <Figure name="Usual wait" testId="wait" title="The median wait of the jobs that ended last">
        {p50WaitMs + perMinute > 0 ? formatDuration(p50WaitMs) : <span class="faint">nothing ended</span>}
      </Figure>
      <Figure name="Consumers" testId="consumers">
        {formatCount(consumers)}
      </Figure>
      <Figure name="Later" testId="later" title="Delayed jobs: they wait for a retry, a time or an answer">
        {formatCount(later)}
      </Figure>
      {owed > 0 && (
        <Figure name="Not due" testId="owed" title="Callbacks of invocations that have not ended">
          {formatCount(owed)}
        </Figure>
      )}
    </Figures>
  );
}

/** Says that a queue does not work, why, and what to do next. */
export function QueueTrouble({ queue }: { queue: ShownQueue }) {
  const { paused, name } = queue;
  if (paused)
    return (
      <p class="notice-line" data-testid="pause-note-shown">
        Paused
        {paused.by !== null && (
          <>
            {' '}
            by <HostileText text={paused.by} isFixed limit={200} />
          </>
        )}
        {paused.at !== null && (
          <>
            {' '}
            since <Time at={paused.at} withDistance />
          </>
        )}
        {paused.note !== null && (
          <>
            : <HostileText text={paused.note} />
          </>
        )}
      </p>
    );
  if (stateOfQueue(queue) !== 'stuck') return null;
  return <p class="notice-line">No process takes these jobs. {whatToStart(name)}</p>;
}

function whatToStart(name: string): string {
  if (name === 'scripts') return 'Start a script-runner.';
  if (name.startsWith('scripts.'))
    return `Start a script-runner with the label ${name.slice('scripts.'.length)} in ERRAND_RUNNER_LABELS.`;
  return 'Start a worker.';
}
