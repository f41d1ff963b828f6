import { didYouMean, timeOfInvocationId, ToolError } from '@errand/contracts';
import { publishEvent, readSessionAgents, type Definitions, type EventTurn, type Queues } from '@errand/queue';
import { triggeredAgents, type Registry } from '@errand/registry';
import { ProblemError } from '../http/problem-error.js';
import { assignId } from '../submit/assign-id.js';
import { isSessionName, unknownSession } from './find-session.js';
import type { EventRequest } from './session-requests.js';

/** The parts of the API that publish events. */
interface EventParts {
  queues: Queues;
  definitions: Definitions;
  registry: Registry;
}

/** A request to publish an event. */
interface EventOrder {
  tenant: string;
  session: string;
  body: EventRequest;
  idempotencyKey?: string | undefined;
  trace?: string | undefined;
}

/**
 * Publishes an event of a client. The same idempotency key begins the same turns.
 * @throws ProblemError; QueueFullError
 */
export async function publishFromRequest(
  { queues, definitions, registry }: EventParts,
  { tenant, session, body, idempotencyKey, trace }: EventOrder,
): Promise<EventTurn[]> {
  const { type, payload, agents = [] } = body;
  requireKnown(registry, agents);
  const exists = isSessionName(session) && (await readSessionAgents(queues, { tenant, session })) !== undefined;
  if (!isSessionName(session) || (!exists && agents.length === 0)) return unknownSession(session);
  const { id } = await assignId(queues, { tenant, idempotencyKey, body: { session, event: body } });
  const event = {
    tenant,
    session,
    type,
    payload,
    agents,
    depth: 0,
    origin: { seed: id, at: timeOfInvocationId(id) ?? Date.now() },
    trace,
  };
  return publishEvent(queues, definitions, event, triggeredAgents(registry, type)).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error;
    throw new ProblemError('invalid_parameters', error.message);
  });
}

function requireKnown(registry: Registry, agents: readonly string[]): void {
  const index = agents.findIndex((agent) => !registry.hasAgent(agent));
  const unknown = agents[index];
  if (unknown === undefined) return;
  const suggestion = didYouMean(unknown, registry.agentIds());
  const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
  const message = `There is no agent '${unknown}'${hint}`;
  throw new ProblemError('invalid_parameters', message, { errors: [{ path: `/agents/${index}`, message }] });
}
