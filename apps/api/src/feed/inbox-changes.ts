import type { FeedData } from '@errand/contracts';
import { childId, type ListedInvocation } from '@errand/queue';

type InboxChange = FeedData['inbox'];

/** The most open waits that are remembered. */
const MOST_WAITS = 10_000;

/** Derives the events of the inbox from changes of invocations: a wait opens, and it closes. */
export class InboxChanges {
  /** The id of the open wait by invocation. */
  private readonly open = new Map<string, string>();

  /** Remembers a wait from before the first event. */
  note(invocation: ListedInvocation): void {
    const id = waitIdOf(invocation);
    if (id !== undefined && this.open.size < MOST_WAITS) this.open.set(invocation.id, id);
  }

  /** The events of an invocation in its present state. */
  of(invocation: ListedInvocation): InboxChange[] {
    const [before, now] = [this.open.get(invocation.id), waitIdOf(invocation)];
    if (before === now) return [];
    this.open.delete(invocation.id);
    this.note(invocation);
    const change = { kind: 'answer', invocationId: invocation.id } as const;
    return [
      ...(before === undefined ? [] : [{ ...change, id: before, state: 'closed' as const }]),
      ...(now === undefined ? [] : [{ ...change, id: now, state: 'open' as const }]),
    ];
  }
}

/** The id that the wait of an invocation has in the inbox. Undefined for a turn that waits for its calls, and without a wait. */
function waitIdOf({ id, waiting }: ListedInvocation): string | undefined {
  if (!waiting || waiting.invocationId !== undefined) return undefined;
  return childId(id, waiting.step, waiting.key);
}
