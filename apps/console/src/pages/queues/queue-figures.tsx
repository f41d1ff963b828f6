import type { QueuePause, ShownQueue } from '@errand/contracts';
import { isOperator } from '../../api/session.js';
import { Figure, Figures, SlotUse } from '../../parts/figure.js';
import { formatCount, formatDuration } from '../../parts/format.js';
import { Mark } from '../../parts/mark.js';
import { Time } from '../../parts/time.js';
import { whatToStart } from '../../parts/what-to-start.js';
import { QUEUE_LOOKS } from '../../statuses.js';
import { HostileText } from '../../text/hostile-text.js';
import { jobsWithoutProcess, lacksConsumer, stateOfQueue } from './queue-state.js';

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
        {slots === 0 && active > 0 ? (
          <>
            {formatCount(active)} <span class="faint">without a process</span>
          </>
        ) : (
          <SlotUse used={active} slots={slots} />
        )}
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
  const { paused, name, active } = queue;
  return (
    <>
      {paused && <PauseLine pause={paused} />}
      {lacksConsumer(queue) && (
        <p class="notice-line" data-testid="no-consumer">
          No process takes these jobs. {whatToStart(name)}
          {active > 0 && ` It takes over ${jobsWithoutProcess(active)}.`}
        </p>
      )}
    </>
  );
}

function PauseLine({ pause: { at, by, note } }: { pause: QueuePause }) {
  return (
    <p class="notice-line" data-testid="pause-note-shown">
      Paused
      {by !== null && (
        <>
          {' '}
          by <HostileText text={by} isFixed limit={200} />
        </>
      )}
      {at !== null && (
        <>
          {' '}
          since <Time at={at} withDistance />
        </>
      )}
      {note !== null && (
        <>
          : <HostileText text={note} />
        </>
      )}
      {!isOperator.value && ' (only the operator can resume the queue)'}
    </p>
  );
}
