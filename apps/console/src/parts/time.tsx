import { formatDistance, formatTime } from './format.js';
import { now } from './clock.js';

/** A time in the zone of the reader. The ISO time is in the tooltip, and with `withDistance` the distance from now follows. */
export function Time({ at, withDistance = false }: { at: string | null | undefined; withDistance?: boolean }) {
  if (!at) return <span class="faint">–</span>;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <span class="faint">–</span>;
  const iso = time.toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {formatTime(time)}
      {withDistance && <span class="faint"> ({formatDistance(time, new Date(now.value))})</span>}
    </time>
  );
}
