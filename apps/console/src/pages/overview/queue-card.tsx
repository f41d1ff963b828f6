import type { ShownQueue } from '@errand/contracts';
import { formatCount, formatDuration } from '../../parts/format.js';
import { HostileText } from '../../text/hostile-text.js';
import { jobsWithoutProcess, lacksConsumer } from '../queues/queue-state.js';

/** A queue in short. */
export function QueueCard({ queue }: { queue: ShownQueue }) {
  const { name, waiting, active, slots, oldestMs, paused, perMinute } = queue;
  return (
    <li class="panel queue-card" data-testid="queue-card" data-name={name} data-paused={paused !== null}>
      <h3>
        <a href={`/console/queues/${encodeURIComponent(name)}`}>
          <HostileText text={name} limit={80} isFixed />
        </a>
        {paused !== null && <span class="status tone-waiting">Paused</span>}
        {lacksConsumer(queue) && <span class="status tone-bad">No consumer</span>}
      </h3>
      <p class="queue-number">
        {formatCount(waiting)} <span class="faint">waiting</span>
      </p>
      <meter
        class="queue-slots"
        min={0}
        max={Math.max(1, slots)}
        value={Math.min(active, slots)}
        aria-label="Slots in use"
      >
        {active}
      </meter>
      <p class="faint queue-line">
        <span>{slotText(queue)}</span>
        <span>{formatCount(perMinute)} a minute</span>
        {!(waiting === 0 && lacksConsumer(queue)) && (
          <span>{waiting > 0 ? `oldest ${formatDuration(oldestMs)}` : 'nothing waits'}</span>
        )}
      </p>
    </li>
  );
}

function slotText({ active, slots }: ShownQueue): string {
  if (slots > 0) return `${formatCount(active)} of ${formatCount(slots)} slots`;
  return active === 0 ? 'no consumer' : jobsWithoutProcess(active);
}
