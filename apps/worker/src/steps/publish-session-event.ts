import { didYouMean, ToolError, type Json, type JsonObject } from '@errand/contracts';
import { eventDepthOf, publishEvent, QueueFullError, Queues, readJournalField, type Definitions } from '@errand/queue';
import { triggeredAgents, type Registry } from '@errand/registry';
import { actorOf, type StepContext } from './step-context.js';

/** The parts of a worker that publish events. */
export interface EventParts {
  queues: Queues;
  definitions: Definitions;
  registry: Registry;
}

/**
 * Publishes an event for a call. The ids of the turns follow from the step or node that calls, so that a second attempt begins no second turn.
 * @param key names the call within the invocation
 * @throws ToolError
 */
export async function publishSessionEvent(
  { queues, definitions, registry }: EventParts,
  context: StepContext,
  key: string,
  { event_type: type, payload, agents: named }: JsonObject,
): Promise<Json> {
  const { work } = context;
  const { session = '', agent: publisher } = actorOf(context);
  const event = {
    tenant: work.record.tenant,
    session,
    type: typeof type === 'string' ? type : '',
    payload,
    agents: requireAgents(registry, named),
    publisher,
    depth: await eventDepthOf(queues, work.record),
    origin: { seed: `${work.id} ${key}`, at: await timeOfFirst(queues, context, key) },
    trace: work.record.trace,
  };
  try {
    const turns = await publishEvent(queues, definitions, event, triggeredAgents(registry, event.type));
    return { turns: turns.map((turn) => ({ ...turn })) };
  } catch (error) {
    if (error instanceof QueueFullError) throw new ToolError('ServiceError', error.message);
    throw error;
  }
}

/** The time of the first attempt to publish, from the journal. */
async function timeOfFirst(queues: Queues, { work, journal }: StepContext, key: string): Promise<number> {
  const field = `event ${key}`;
  const known = await readJournalField(queues, work.id, field);
  if (typeof known === 'number') return known;
  const now = Date.now();
  await journal.write([[field, now]]);
  return now;
}

/** @throws ToolError `ParameterValidationError` with the nearest agent */
function requireAgents(registry: Registry, named: Json | undefined): string[] {
  const agents = Array.isArray(named) ? named.filter((agent) => typeof agent === 'string') : [];
  const unknown = agents.find((agent) => !registry.hasAgent(agent));
  if (unknown === undefined) return agents;
  const suggestion = didYouMean(unknown, registry.agentIds());
  const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
  throw new ToolError('ParameterValidationError', `There is no agent '${unknown}'${hint}`);
}
