import { derivedInvocationId, ToolError, type Definition, type Json } from '@errand/contracts';
import { enqueueInvocation } from '../enqueue/enqueue-invocations.js';
import type { Definitions } from '../files/definitions.js';
import type { Queues } from '../redis/connect.js';
import type { InvocationRecord } from '../state/record.js';
import { readJob } from '../state/stored-job.js';
import type { SessionName } from './conversation.js';
import { readSessionAgents } from './read-session.js';

/** The most bytes of the payload of an event as JSON. */
export const PAYLOAD_BYTES = 64 * 1_024;
/** The most events of a chain, in which each begins the turn that publishes the next. */
export const MOST_CHAINED_EVENTS = 8;

/** An event of a session. */
export interface SessionEvent extends SessionName {
  type: string;
  payload?: Json | undefined;
  /** These agents get the event also if they have not acted in the session. */
  agents?: readonly string[];
  /** The agent that publishes it. It does not get the event. */
  publisher?: string | undefined;
  /** The number of events above it. */
  depth: number;
  /** From these follow the ids of the turns: an event that is published twice begins each turn once. */
  origin: { seed: string; at: number };
  trace?: string | undefined;
}

/** An agent whose triggers match, and how to get the definition of its tool. */
interface Triggered {
  agent: string;
  define: () => Promise<{ digest: string; definition: Definition }>;
}

/** A turn that an event has begun. */
export interface EventTurn {
  agent: string;
  invocationId: string;
}

/**
 * Publishes an event: it begins a turn of each triggered agent that has acted in the session or is named, except the publisher. Returns the
 * turns, sorted by agent.
 * @throws ToolError `ParameterValidationError` for a large payload, `ResourceLimitError` for a long chain; QueueFullError
 */
export async function publishEvent(
  queues: Queues,
  definitions: Definitions,
  event: SessionEvent,
  triggered: readonly Triggered[],
): Promise<EventTurn[]> {
  requireSmall(event.payload);
  const { publisher, agents: named = [] } = event;
  const acting = (await readSessionAgents(queues, event)) ?? [];
  const reached = triggered.filter(
    ({ agent }) => agent !== publisher && (acting.includes(agent) || named.includes(agent)),
  );
  if (reached.length === 0) return [];
  requireShortChain(event);
  const defined = await Promise.all(reached.map(async ({ agent, define }) => ({ agent, ...(await define()) })));
  await definitions.put(defined);
  const turns = defined
    .toSorted((a, b) => (a.agent < b.agent ? -1 : 1))
    .map(({ agent, digest, definition }) => ({
      agent,
      id: queues.named(derivedInvocationId(JSON.stringify([event.origin.seed, agent]), event.origin.at)),
      record: recordOf(event, { digest, definition }),
    }));
  const accepted = await Promise.all(
    turns.map(({ id, record }) => enqueueInvocation(queues, { queue: 'invocations', id, record })),
  );
  for (const each of accepted) if (each instanceof Error) throw each;
  return turns.map(({ agent, id }) => ({ agent, invocationId: id }));
}

/** The number of events above an invocation: those that led to its turn, or to a turn above it. */
export async function eventDepthOf(queues: Queues, record: InvocationRecord): Promise<number> {
  let current: InvocationRecord | undefined = record;
  while (current && !current.trigger && current.parentTurn)
    current = (await readJob(queues.shardOf(current.parentTurn.invocationId), current.parentTurn.invocationId))?.data;
  return current?.trigger?.depth ?? 0;
}

function recordOf(
  { tenant, session, type, payload, publisher, depth, trace }: SessionEvent,
  { digest, definition: { tool } }: { digest: string; definition: Definition },
): InvocationRecord {
  const { toolId, version, kind } = tool;
  return {
    tenant,
    session,
    mode: 'sequence',
    calls: [{ toolId, version, kind, digest, arguments: { message: describe(type, payload, publisher) } }],
    trigger: {
      event: type,
      depth: depth + 1,
      ...(payload !== undefined && { payload }),
      ...(publisher !== undefined && { agent: publisher }),
    },
    ...(trace !== undefined && { trace }),
  };
}

/** The event as the text of a message. */
function describe(type: string, payload: Json | undefined, publisher: string | undefined): string {
  const from = publisher === undefined ? '' : ` from ${publisher}`;
  return `Event ${type}${from}${payload === undefined ? '' : `: ${JSON.stringify(payload)}`}`;
}

function requireSmall(payload: Json | undefined): void {
  const bytes = payload === undefined ? 0 : Buffer.byteLength(JSON.stringify(payload));
  if (bytes <= PAYLOAD_BYTES) return;
  const message = `The payload has ${bytes} bytes as JSON, and ${PAYLOAD_BYTES} are allowed: publish a reference to the data`;
  throw new ToolError('ParameterValidationError', message, { limit: PAYLOAD_BYTES, value: bytes });
}

function requireShortChain({ depth, type }: SessionEvent): void {
  if (depth < MOST_CHAINED_EVENTS) return;
  throw new ToolError(
    'ResourceLimitError',
    `The event ${type} ends a chain of ${MOST_CHAINED_EVENTS} events, each of which began the turn that published the next`,
    { limit: MOST_CHAINED_EVENTS, value: depth + 1 },
  );
}
