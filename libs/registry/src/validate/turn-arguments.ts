import { isObject, own, type JsonObject, type Problem } from '@errand/contracts';

/** The largest message, and the largest `state`, in bytes. */
export const MAX_MESSAGE_BYTES = 256 * 1024;
export const MAX_STATE_BYTES = 256 * 1024;
const NOT_FOR_CLIENTS = ['agent:', 'core:'];

/**
 * The problems of the arguments of `agent:<id>` that its schema cannot express. A value of the wrong type is left to the
 * schema.
 */
export function problemsOfTurn(args: JsonObject): Problem[] {
  return [...missingMessage(args), ...longMessages(args), ...largeState(args), ...wrongNames(args)];
}

function missingMessage(args: JsonObject): Problem[] {
  if (own(args, 'message') !== undefined || own(args, 'messages') !== undefined) return [];
  return [{ path: '/message', message: "Missing required parameter 'message' (or 'messages')" }];
}

function longMessages(args: JsonObject): Problem[] {
  const messages = listIn(args, 'messages').map((each, index) => ({
    path: `/messages/${index}/content`,
    text: isObject(each) ? own(each, 'content') : undefined,
  }));
  return [{ path: '/message', text: own(args, 'message') }, ...messages].flatMap(({ path, text }) => {
    const bytes = typeof text === 'string' ? Buffer.byteLength(text) : 0;
    if (bytes <= MAX_MESSAGE_BYTES) return [];
    return [{ path, message: `The message has ${bytes} bytes; at most ${MAX_MESSAGE_BYTES} are allowed` }];
  });
}

function largeState(args: JsonObject): Problem[] {
  const state = own(args, 'state');
  const bytes = isObject(state) ? Buffer.byteLength(JSON.stringify(state)) : 0;
  if (bytes <= MAX_STATE_BYTES) return [];
  return [{ path: '/state', message: `'state' has ${bytes} bytes as JSON; at most ${MAX_STATE_BYTES} are allowed` }];
}

/** Two client tools with the same name, and names that belong to agents and built-in tools. */
function wrongNames(args: JsonObject): Problem[] {
  const seen = new Map<string, number>();
  return listIn(args, 'tools').flatMap((tool, index) => {
    const name = isObject(tool) ? own(tool, 'name') : undefined;
    if (typeof name !== 'string') return [];
    const path = `/tools/${index}/name`;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else return [{ path, message: `tools[${first}] has the name '${name}' already` }];
    const prefix = NOT_FOR_CLIENTS.find((each) => name.startsWith(each));
    return prefix === undefined ? [] : [{ path, message: `The name of a client tool must not begin with '${prefix}'` }];
  });
}

function listIn(args: JsonObject, name: string): readonly unknown[] {
  const value = own(args, name);
  return Array.isArray(value) ? value : [];
}
