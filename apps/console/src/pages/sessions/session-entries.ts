import type { Failure, MessageRole, Refusal, SessionMessage, Status, Step } from '@errand/contracts';

/** The fields of an invocation that a session shows. */
export interface SessionInvocation {
  id: string;
  status: Status;
  createdAt: string;
  agent: string | null;
  responseText: string | null;
  steps: readonly Pick<Step, 'index' | 'toolId' | 'arguments' | 'status' | 'deduplicatedFrom'>[];
  error: Failure | null;
  observation: string | null;
  parent?: { invocationId: string; round?: number };
}

/** How people know the author of a message. */
export const AUTHORS: Readonly<Record<MessageRole, string>> = {
  user: 'User',
  system: 'System',
  assistant: 'Agent',
  observation: 'Observation',
  tool: 'Observation',
  event: 'Event',
};

/** A message, with the agent whose conversation it belongs to if the session has several. */
export type AuthoredMessage = SessionMessage & { agent?: string };

/** The fields of a refused submission that a session shows. */
export type SessionRefusal = Pick<Refusal, 'id' | 'at' | 'code' | 'text' | 'observation' | 'recoveredBy'>;

/** What happened in a session, one after the other. */
export type SessionEntry =
  | { kind: 'message'; at: string; key: string; message: AuthoredMessage }
  | { kind: 'invocation'; at: string; key: string; invocation: SessionInvocation }
  | { kind: 'refusal'; at: string; key: string; refusal: SessionRefusal };

interface ReadPart {
  /** Newest first. */
  items: readonly { at: string }[];
  /** There are older items, which are not read yet. */
  hasOlder: boolean;
}

/** The time in ms since which every list is complete. Before it, a list may lack what another one has. */
export function completeSince(lists: readonly ReadPart[]): number {
  const oldest = lists.flatMap(({ items, hasOlder }) => (hasOlder ? Date.parse(items.at(-1)?.at ?? '') : []));
  return Math.max(-Infinity, ...oldest.filter((at) => !Number.isNaN(at)));
}

/** The entries in the order in which they happened. At the same time, a message is before what follows from it. */
export function entriesOf(parts: {
  messages: readonly AuthoredMessage[];
  invocations: readonly SessionInvocation[];
  refusals: readonly SessionRefusal[];
  /** Older submissions and refusals are left out; see `completeSince`. */
  since?: number;
}): SessionEntry[] {
  const { since = -Infinity } = parts;
  const entries: SessionEntry[] = [
    ...parts.messages.map((message) => ({ kind: 'message' as const, at: message.at, key: message.id, message })),
    ...parts.refusals.map((refusal) => ({ kind: 'refusal' as const, at: refusal.at, key: refusal.id, refusal })),
    ...parts.invocations.map((invocation) => ({
      kind: 'invocation' as const,
      at: invocation.createdAt,
      key: invocation.id,
      invocation,
    })),
  ];
  return entries
    .filter(({ kind, at }) => kind === 'message' || Date.parse(at) >= since)
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
