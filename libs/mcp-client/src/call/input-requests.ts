import { isDeeperThan, isObject, sizeOf, type Json, type JsonSchema } from '@errand/contracts';
import type { OpenedServer } from '../connect/expand-secrets.js';
import { RemoteError, shown } from '../connect/remote-error.js';

/** A question of the server to a person: a message, and the schema of the answer. */
export interface InputRequest {
  key: string;
  message: string;
  schema: JsonSchema;
}

/** The answers by key. */
export type InputResponses = Record<string, { action: 'accept' | 'decline' | 'cancel'; content?: Json }>;

const MAX_REQUESTS = 16;
const MAX_SIZE = 64 * 1024;

/**
 * Reads the questions of a server.
 * @throws RemoteError NodeError for anything that is no form, which Errand has not offered
 */
export function readRequests(given: Record<string, unknown>, { name, mask }: OpenedServer): InputRequest[] {
  const refuse = (why: string) =>
    new RemoteError('NodeError', `The server '${name}' asked for input that Errand cannot give: ${why}`, 'none');
  const entries = Object.entries(given);
  if (entries.length > MAX_REQUESTS) throw refuse(`more than ${MAX_REQUESTS} questions at once`);
  if (sizeOf(given, MAX_SIZE) > MAX_SIZE || isDeeperThan(given)) throw refuse('its questions are too large');
  return entries.map(([key, entry]) => {
    const { method, params } = isObject(entry) ? entry : {};
    if (method !== 'elicitation/create') throw refuse(`'${shown(String(method), { mask: mask.text })}' is not offered`);
    const { message, requestedSchema, mode = 'form' } = isObject(params) ? params : {};
    if (mode !== 'form' || !isObject(requestedSchema)) throw refuse('only forms are offered');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed from JSON
    const schema = mask.json(requestedSchema as Json) as JsonSchema;
    return { key, message: shown(typeof message === 'string' ? message : '', { mask: mask.text }), schema };
  });
}
