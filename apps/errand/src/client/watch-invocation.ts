import type { Invocation } from '@errand/contracts';
import { printJson, say } from '../terminal.js';
import { showEnd, showEvent } from '../show-invocation.js';
import type { ApiClient } from './api-client.js';
import { EXIT } from './client-errors.js';
import { WaitReporter } from './describe-waits.js';
import { followInvocation, type SentEvent } from './follow-invocation.js';

/** After this time without an event, the reasons for the wait are shown. */
const QUIET_MS = 2_000;

/**
 * Follows an invocation to its end. For people: events and reasons to wait on stderr, the result on stdout. With `json`: each event as a
 * line of stdout.
 * @returns the exit code: whether the invocation succeeded
 */
export async function watchInvocation(
  client: ApiClient,
  { id, steps = [] }: Pick<Invocation, 'id'> & Partial<Invocation>,
  json: boolean,
): Promise<number> {
  const leave = onInterrupt(client, id);
  const waits = new WaitReporter(client, id);
  const quiet = json ? undefined : setInterval(() => void waits.report(), QUIET_MS).unref();
  try {
    for await (const event of followInvocation(client, id)) {
      quiet?.refresh();
      if (json) printJson(event);
      else await show(event, steps.length === 1, waits, client.target.again);
      if (event.event === 'end') return event.invocation.status === 'succeeded' ? EXIT.success : EXIT.failed;
    }
    return EXIT.failed;
  } finally {
    clearInterval(quiet);
    leave();
  }
}

async function show(event: SentEvent, isSingle: boolean, waits: WaitReporter, again: string): Promise<void> {
  if (event.event === 'end') return showEnd(event.invocation, again);
  showEvent(event, isSingle);
  if (event.event === 'status' && event.status === 'waiting_external') await waits.report();
}

/** Prints how to go on when Ctrl-C ends the command. The invocation does not end. @returns a function that stops this */
export function onInterrupt({ target: { again } }: ApiClient, id: string): () => void {
  const leave = () => {
    say(`\n${id} goes on. To follow it: ./errand follow ${id}${again}`);
    say(`To cancel it: ./errand cancel ${id}${again}`);
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', leave);
  return () => void process.off('SIGINT', leave);
}
