import type { Json, JsonObject } from '@errand/contracts';
import type { A2aMessage, A2aPart, A2aStatus, A2aStatusUpdate } from './a2a-shapes.js';

const FINAL_STATES: readonly string[] = ['completed', 'failed', 'canceled'];

/** A status update in the form of A2A 0.3: the event itself, without the envelope of a `StreamResponse`. */
export function toLegacyUpdate({ statusUpdate: { taskId, contextId, status } }: A2aStatusUpdate): JsonObject {
  const state = status.state.replace('TASK_STATE_', '').toLowerCase().replace('_', '-');
  return {
    kind: 'status-update',
    taskId,
    contextId,
    status: toLegacyStatus(status, state),
    final: FINAL_STATES.includes(state),
  };
}

function toLegacyStatus({ message, timestamp }: A2aStatus, state: string): JsonObject {
  return { state, ...(message && { message: toLegacyMessage(message) }), timestamp };
}

function toLegacyMessage({ role, parts, ...message }: A2aMessage): JsonObject {
  return {
    kind: 'message',
    ...message,
    role: role === 'ROLE_USER' ? 'user' : 'agent',
    parts: parts.map(toLegacyPart),
  };
}

/** Data of 0.3 is an object; the SDK marks another value in this way. */
function toLegacyPart({ text, data }: A2aPart): Json {
  if (text !== undefined) return { kind: 'text', text };
  const isPlain = typeof data === 'object' && data !== null && !Array.isArray(data);
  return isPlain
    ? { kind: 'data', data }
    : { kind: 'data', data: { value: data ?? null }, metadata: { data_part_compat: true } };
}
