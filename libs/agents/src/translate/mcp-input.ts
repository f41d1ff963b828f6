import { isObject, type Answer, type Json, type JsonObject, type Waiting } from '@errand/contracts';
import { formOf, type McpForm } from './mcp-form.js';

/** A question to the user of an MCP client. */
export type McpInputRequest = {
  method: 'elicitation/create';
  params: { mode: 'form'; message: string; requestedSchema: McpForm };
};

/** The questions of a call, by the key of their answers. */
export type McpInputRequests = { [key: string]: McpInputRequest };

/** An answer that an invocation waits for. `nodeId` is absent if the tool itself asks. */
export interface AskedWait {
  nodeId?: string;
  asker: string;
  waiting: Pick<Waiting, 'prompt' | 'schema'>;
}

/** The key of the question of an external tool, which has no node. */
const TOOL_KEY = 'answer';

/** The key of a question: the id of the node that asks, or `answer`. */
export function inputKeyOf({ nodeId }: Pick<AskedWait, 'nodeId'>): string {
  return nodeId ?? TOOL_KEY;
}

/** The questions of these waits; undefined if there is none. */
export function toInputRequests(waits: readonly AskedWait[]): McpInputRequests | undefined {
  if (waits.length === 0) return undefined;
  return Object.fromEntries(waits.map((wait) => [inputKeyOf(wait), toInputRequest(wait)]));
}

function toInputRequest({ asker, waiting: { prompt, schema } }: AskedWait): McpInputRequest {
  const message = prompt === undefined ? `${asker} asks for an answer` : textOf(prompt);
  return {
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: formOf(schema).requestedSchema },
  };
}

function textOf(prompt: Json): string {
  return typeof prompt === 'string' ? prompt : JSON.stringify(prompt);
}

/**
 * The answer to a wait from the response of a client. Accepted content is the result; a declined or cancelled question is an error.
 * Returns undefined for a response of another shape.
 */
export function answerOfResponse(response: unknown, { waiting }: Pick<AskedWait, 'waiting'>): Answer | undefined {
  if (!isObject(response)) return undefined;
  const { action, content = {} } = response;
  if (action === 'decline') return { error: { message: 'The user declined to answer' } };
  if (action === 'cancel') return { error: { message: 'The user closed the question without an answer' } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the body of a request is JSON
  return action === 'accept' && isObject(content)
    ? { result: formOf(waiting.schema).toResult(content as JsonObject) }
    : undefined;
}
