import { loadCommands, loadSdk, type Transport } from './sdk.js';
import { RemoteError } from './remote-error.js';
import type { OpenedServer } from './expand-secrets.js';
import { DEFAULT_TIMEOUT_MS, MAX_BYTES, type RemoteOptions } from './remote-options.js';
import { watchFetch } from './watched-fetch.js';

/** A transport of the SDK, and the last failure of its requests. */
export interface OpenTransport {
  transport: Transport;
  failure: () => unknown;
  /** Ends a session of a server of an older revision. */
  endSession: () => Promise<void>;
}

/** The time that a request may take longer than the limit of the call, which ends the call with a better message. */
const SPARE_MS = 10_000;

/**
 * Makes the transport to a server: Streamable HTTP, or the stdin and stdout of a command.
 * @throws RemoteError SecurityError for a command where the operator has not allowed them
 */
export function openTransport(server: OpenedServer, options: RemoteOptions): Promise<OpenTransport> {
  return server.url === undefined ? openCommand(server, options) : openAddress(server, server.url, options);
}

async function openAddress(server: OpenedServer, url: string, { createFetch }: RemoteOptions): Promise<OpenTransport> {
  const { StreamableHTTPClientTransport } = await loadSdk();
  const timeoutMs = (server.timeoutMs ?? DEFAULT_TIMEOUT_MS) + SPARE_MS;
  const watched = watchFetch(server.name, createFetch({ timeoutMs, maxBytes: MAX_BYTES }));
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: watched.fetch,
    requestInit: { redirect: 'manual', ...(server.headers && { headers: server.headers }) },
    redirectPolicy: 'follow',
    onInsufficientScope: 'throw',
  });
  reportEndedStreams(transport);
  return { transport, failure: () => watched.failure, endSession: () => transport.terminateSession() };
}

async function openCommand(
  { name, command = '', args, env }: OpenedServer,
  { allowCommands }: RemoteOptions,
): Promise<OpenTransport> {
  if (!allowCommands)
    throw new RemoteError('SecurityError', `The server '${name}' is a command, and the operator does not allow commands`, 'none'); // prettier-ignore
  const { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } = await loadCommands();
  // The SDK passes these variables on unless they are set, also to undefined.
  const inherited = Object.fromEntries(DEFAULT_INHERITED_ENV_VARS.map((key) => [key, undefined]));
  const transport = new StdioClientTransport({
    command,
    ...(args && { args }),
    env: { ...inherited, ...env } as Record<string, string>,
    stderr: 'ignore',
    maxBufferSize: MAX_BYTES,
  });
  return { transport, failure: () => undefined, endSession: () => Promise.resolve() };
}

/** The JSON-RPC code of an answer that this package makes for a request whose connection ended. */
export const CONNECTION_ENDED = -32000;

/**
 * Answers a request with an error when its response stream ends without an answer. The SDK would wait for the whole time
 * limit.
 */
function reportEndedStreams(transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id === undefined || options?.onRequestStreamEnd) return send(message, options);
    const error = { code: CONNECTION_ENDED, message: 'the connection ended before the answer' };
    const onRequestStreamEnd = () => transport.onmessage?.({ jsonrpc: '2.0', id, error });
    return send(message, { ...options, onRequestStreamEnd });
  };
}
