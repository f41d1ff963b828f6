let at = 0;
let text = '';

/** The time as ISO 8601 UTC. Many nodes end in one millisecond: its text is written once. */
export function now(): string {
  const time = Date.now();
  if (time !== at) {
    at = time;
    text = new Date(time).toISOString();
  }
  return text;
}
