import { valueAtPath, withValueAt } from '@errand/agents';
import { ToolError, type Json, type JsonObject, type SessionAccess } from '@errand/contracts';
import {
  type Queues,
  readPrivateState,
  readWorldState,
  searchMessages,
  updateState,
  type Conversation,
  type SessionName,
  type StateName,
} from '@errand/queue';
import { publishSessionEvent, type EventParts } from './publish-session-event.js';
import { actorOf, type StepContext } from './step-context.js';

/** The characters of a result in an Observation if the caller names no budget. */
const DEFAULT_CHARS = 8_000;
const DEFAULT_MATCHES = 5;

/**
 * The session of a step for the tools of agents. A change is an event of the turn that makes it: the turn above the step, or the turn that
 * the step itself is.
 * @param callKey names the call within the invocation
 */
export function sessionAccessOf(parts: EventParts, context: StepContext, callKey: string): SessionAccess {
  const { queues } = parts;
  const update = async (name: StateName, path: string, value: Json): Promise<Json> => {
    const turnId = turnOf(context);
    await updateState(
      queues,
      name,
      (state) => withValueAt(state, path, value),
      turnId === undefined ? undefined : { id: turnId },
    );
    return { updated: path };
  };
  return {
    readWorld: async (args) => read(await readWorldState(queues, requireSession(context)), args),
    readPrivate: async (args) => read(await readPrivateState(queues, requireConversation(context)), args),
    updateWorld: async ({ path, value }) => update(requireSession(context), textOf(path), value ?? null),
    updatePrivate: async ({ key, value }) => update(requireConversation(context), textOf(key), value ?? null),
    publishEvent: async (args) => {
      requireSession(context);
      return publishSessionEvent(parts, context, callKey, args);
    },
    search: (args) => search(queues, context, args),
  };
}

function read(state: JsonObject, { path, default_value: fallback }: JsonObject): Json {
  const value = valueAtPath(state, textOf(path));
  return value === undefined ? (fallback ?? null) : value;
}

async function search(queues: Queues, context: StepContext, { query, limit }: JsonObject): Promise<Json> {
  const { maxResultChars = DEFAULT_CHARS } = context.work.record;
  const most = typeof limit === 'number' ? limit : DEFAULT_MATCHES;
  const found = await searchMessages(queues, requireConversation(context), { query: textOf(query), limit: most });
  const shownOf = (count: number): JsonObject => ({
    matches: found.matches.slice(0, count).map((match) => ({ ...match })),
    searched: found.searched,
  });
  let count = found.matches.length;
  while (count > 1 && JSON.stringify(shownOf(count)).length > maxResultChars) count--;
  return shownOf(count);
}

/** @throws ToolError ParameterValidationError outside a session */
function requireSession(context: StepContext): SessionName {
  const { session } = actorOf(context);
  if (session !== undefined) return { tenant: context.work.record.tenant, session };
  throw refused(`${context.call.toolId} works in a session: submit the call with \`session\`, or let an agent make it`);
}

/** @throws ToolError ParameterValidationError outside a session, and for a call that no agent makes */
function requireConversation(context: StepContext): Conversation {
  const { agent } = actorOf(context);
  const name = requireSession(context);
  if (agent !== undefined) return { ...name, agent };
  throw refused(`${context.call.toolId} belongs to one agent: submit the call with \`agent\`, or let an agent make it`);
}

function turnOf({ work, call }: StepContext): string | undefined {
  return call.kind === 'agent' ? work.id : work.record.parentTurn?.invocationId;
}

/** The schemas of the tools allow strings only. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function refused(message: string): ToolError {
  return new ToolError('ParameterValidationError', message);
}
