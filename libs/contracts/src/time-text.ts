let lastMs = 0;
let lastText = '';

/** The current time as ISO 8601 UTC. The text is cached, because many nodes and events have the same millisecond. */
export function nowText(): string {
  const time = Date.now();
  if (time !== lastMs) {
    lastMs = time;
    lastText = new Date(time).toISOString();
  }
  return lastText;
}
