import type { StatusChange, Timeline } from '@errand/contracts';
import { readEvents, type NumberedEvent, type Queues } from '@errand/queue';

/** Events of one read. A chunk of an output has 64 KiB at most. */
const PAGE = 200;

/** The stored changes of status of an invocation. Redis keeps about 5,000 events of each. */
export async function readTimeline(queues: Queues, id: string): Promise<Timeline> {
  const items: StatusChange[] = [];
  let missing = 0;
  for (let after = 0; ;) {
    const page = await readEvents(queues, id, after, PAGE);
    const [first, last] = [page[0], page.at(-1)];
    if (!first || !last) return { items, missing };
    if (after === 0) missing = first.number - 1;
    items.push(...page.flatMap(changeIn));
    after = last.number;
  }
}

function changeIn({ event: logged }: NumberedEvent): StatusChange[] {
  if (logged.event === 'status') return [{ at: logged.at, status: logged.status }];
  if (logged.event !== 'step') return [];
  const { event, ...change } = logged;
  return [change];
}
