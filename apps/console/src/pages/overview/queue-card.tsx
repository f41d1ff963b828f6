import type { ShownQueue } from '@errand/contracts';
import { formatCount, formatDuration } from '../../parts/format.js';
import { HostileText } from '../../text/hostile-text.js';

/** A queue in short. */
export function QueueCard({ queue }: { queue: ShownQueue }) {
  const { name, waiting, active, slots, oldestMs, consumers, paused, perMinute } = queue;
  return (
    <li class="panel queue-card" data-testid="queue-card" data-name={name} data-paused={paused !== null}>
      <h3>
        <a href={`/console/queues/${encodeURIComponent(name)}`}>
          <HostileText text={name} limit={80} isFixed />
        </a>
        {paused !== null && <span class="status tone-waiting">Paused</span>}
        {consumers === 0 && waiting > 0 && <span class="status tone-bad">No consumer</span>}
      </h3>
      <p class="queue-number">
        {formatCount(waiting)} <span class="faint">waiting</span>
      </p>
      <meter
        class="queue-slots"
        min={0}
        max={Math.max(1, slots)}
        value={Math.min(active, Math.max(1, slots))}
        aria-label="Slots in use"
      >
        {active}
      </meter>
      <p class="faint queue-line">
        <span>{slots === 0 ? 'no consumer' : `${formatCount(active)} of ${formatCount(slots)} slots`}</span>
        <span>{formatCount(perMinute)} a minute</span>
        <span>{waiting > 0 ? `oldest ${formatDuration(oldestMs)}` : 'nothing waits'}</span>
      </p>
    </li>
  );
}
