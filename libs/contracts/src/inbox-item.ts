import type { Json, JsonObject } from './json.js';
import type { JsonSchema } from './tool.js';

/** What a person can be asked for. `approval` and `budget` exist only with the features of these names. */
export const INBOX_KINDS = ['answer', 'approval', 'budget'] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

/** One wait of an invocation for a person: an item of `GET /v1/inbox`. */
export interface InboxItem {
  kind: InboxKind;
  /** The id of the wait. It stays the same as long as the wait lasts. */
  id: string;
  invocationId: string;
  step: number;
  /** The node of the step that waits; null if the step itself waits. */
  nodeId: string | null;
  /** The key of this wait of the node; null if the step itself waits. */
  key: string | null;
  prompt: Json;
  /** The JSON Schema of the answer; null if any JSON value is an answer. */
  output: JsonSchema | boolean | null;
  /** ISO 8601 UTC. */
  askedAt: string;
  /** The deadline (ISO 8601 UTC); null without one. */
  until: string | null;
  /** The tool of the step, and its arguments. */
  toolId: string;
  arguments: JsonObject;
  agent: string | null;
  session: string | null;
  /** `invocation`: what waits. `answer`: where the answer is posted. */
  links: { invocation: string; answer: string };
  /** The owner of the invocation. Only responses to the operator have it. */
  tenant?: string;
}
