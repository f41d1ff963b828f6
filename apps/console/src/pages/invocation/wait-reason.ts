/** What a reason for a wait says about its queue. */
export interface QueueOfWait {
  name: string;
  state: 'paused' | 'unserved' | 'busy';
}

/** The note of a pause stands behind these words, so that it cannot name the queue. */
const PAUSED = /(?:^|; then )the queue '([^']{1,100})', which is paused/;
const CONSUMER = /^a (?:free )?(worker|script-runner)(?: that offers '([^']{1,100})')?(.*)$/s;

/** The queue that the reason of the API (`queue.waitingFor`) is about. Undefined for a wait for a time or an answer. */
export function queueOfWait(reason: string): QueueOfWait | undefined {
  const paused = PAUSED.exec(reason)?.[1];
  if (paused !== undefined) return { name: paused, state: 'paused' };
  const [, consumer, label, rest = ''] = CONSUMER.exec(reason) ?? [];
  if (consumer === undefined) return undefined;
  const name = consumer === 'worker' ? 'invocations' : label === undefined ? 'scripts' : `scripts.${label}`;
  return { name, state: rest === ': none is alive' ? 'unserved' : 'busy' };
}
