const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY_MS = 24 * HOUR;

/** A number with separators: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** The words for this many: `plural(1, 'line', 'lines')` is `line`. */
export function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

/** A time in the zone of the reader: `14:03:22` today, `Nov 22, 14:03:22` before. */
export function formatTime(time: Date, now = new Date()): string {
  if (time.toDateString() === now.toDateString()) return CLOCK.format(time);
  const day = time.getFullYear() === now.getFullYear() ? DAY : DAY_OF_YEAR;
  return `${day.format(time)}, ${CLOCK.format(time)}`;
}

/**
 * A duration with at most two units: `84 ms`, `3.2 s`, `4 min 12 s`, `2 h 5 min`, `3 d 4 h`. The unit is that of the rounded number: 999.6 ms is
 * `1.0 s`.
 */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < SECOND) return `${whole} ms`;
  const tenths = Math.round(whole / (SECOND / 10));
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(whole / SECOND);
  if (seconds * SECOND < MINUTE) return `${seconds} s`;
  const length = seconds * SECOND;
  if (length < HOUR) return twoUnits(length, [MINUTE, 'min'], [SECOND, 's']);
  if (length < DAY_MS) return twoUnits(length, [HOUR, 'h'], [MINUTE, 'min']);
  return twoUnits(length, [DAY_MS, 'd'], [HOUR, 'h']);
}

/** A duration from now: `in 4 min 12 s`, `3 d 4 h ago`. */
export function formatDistance(time: Date, now = new Date()): string {
  const distance = time.getTime() - now.getTime();
  return distance > 0 ? `in ${formatDuration(distance)}` : `${formatDuration(-distance)} ago`;
}

/** A size in bytes: `812 B`, `64 KB`, `1.5 MB` (1 KB = 1,024 B). The unit is that of the rounded number, as in `formatDuration`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let size = bytes;
  let unit = 0;
  while (Math.round(size) >= 1_024 && unit < units.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  const isWhole = unit === 0 || Math.round(size * 10) >= 100;
  return `${isWhole ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

function twoUnits(ms: number, [large, largeName]: [number, string], [small, smallName]: [number, string]): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}
