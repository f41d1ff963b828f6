import { isObject, signalWithin, type Json, type RemoteServer } from '@errand/contracts';
import { Connection } from '../connect/server-connection.js';
import type { OpenedServer } from '../connect/expand-secrets.js';
import { RemoteError, shown } from '../connect/remote-error.js';
import { CONNECT_MS, type RemoteOptions } from '../connect/remote-options.js';
import type { CallContext } from './call-context.js';
import { readRequests, type InputRequest, type InputResponses } from './input-requests.js';
import { readResult } from './result-of-call.js';

/** A task that the other server runs. */
export interface RemoteTask {
  id: string;
  /** The time until the next poll, in ms. */
  pollMs: number;
}

export type TaskState =
  | { status: 'working'; pollMs: number; message?: string }
  | { status: 'input'; pollMs: number; requests: InputRequest[] }
  | { status: 'completed'; result: Json };

const DEFAULT_POLL_MS = 1_000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 60_000;
const MAX_ID = 1_024;

/** Reads the answer of a call that became a task. @throws RemoteError */
export function readTask({ taskId, pollIntervalMs }: Record<string, unknown>, { name }: OpenedServer): RemoteTask {
  if (typeof taskId === 'string' && taskId !== '' && taskId.length <= MAX_ID)
    return { id: taskId, pollMs: pollOf(pollIntervalMs) };
  throw new RemoteError('ServiceError', `The server '${name}' started a task without a usable id`, 'unknown');
}

/**
 * Asks for the state of a task.
 * @throws RemoteError NodeError if the task has failed or was cancelled by the server; ServiceError if it is unknown there
 */
export function readTaskState(
  server: RemoteServer,
  id: string,
  options: RemoteOptions,
  context: Omit<CallContext, 'listener'>,
): Promise<TaskState> {
  return exchange(server, options, context, async (connection, signal) => {
    const state = await connection.raw.request('tasks/get', { taskId: id }, signal);
    return stateOf(state, connection.server);
  });
}

/** Gives answers to a task that asks. @throws RemoteError */
export async function answerTask(
  server: RemoteServer,
  { id, inputResponses }: { id: string; inputResponses: InputResponses },
  options: RemoteOptions,
  context: Omit<CallContext, 'listener'>,
): Promise<void> {
  await exchange(server, options, context, (connection, signal) =>
    connection.raw.request('tasks/update', { taskId: id, inputResponses }, signal),
  );
}

/** Asks the server to end a task. @throws RemoteError */
export async function cancelTask(
  server: RemoteServer,
  id: string,
  options: RemoteOptions,
  context: Omit<CallContext, 'listener'>,
): Promise<void> {
  await exchange(server, options, context, (connection, signal) =>
    connection.raw.request('tasks/cancel', { taskId: id }, signal),
  );
}

async function exchange<T>(
  server: RemoteServer,
  options: RemoteOptions,
  { signal, prior, onConnected }: Omit<CallContext, 'listener'>,
  ask: (connection: Connection, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const connection = await Connection.open(server, options, { signal, prior });
  try {
    onConnected?.(connection.discovery);
    return await ask(connection, signalWithin(signal, CONNECT_MS));
  } catch (thrown) {
    signal.throwIfAborted();
    throw connection.explain(thrown, CONNECT_MS);
  } finally {
    await connection.close();
  }
}

function stateOf(state: Record<string, unknown>, server: OpenedServer): TaskState {
  const { name, mask } = server;
  const { status, statusMessage, result, error, inputRequests } = state;
  const text = (value: unknown) => shown(String(value), { mask: mask.text });
  const message = typeof statusMessage === 'string' ? text(statusMessage) : undefined;
  const pollMs = pollOf(state.pollIntervalMs);
  switch (status) {
    case 'working':
      return { status: 'working', pollMs, ...(message !== undefined && { message }) };
    case 'input_required':
      return { status: 'input', pollMs, requests: readRequests(isObject(inputRequests) ? inputRequests : {}, server) };
    case 'completed':
      return { status: 'completed', result: readResult(isObject(result) ? result : {}, server) };
    case 'failed': {
      const why = isObject(error) && typeof error.message === 'string' ? text(error.message) : message;
      throw new RemoteError('NodeError', `The task of the server '${name}' failed${why ? `: ${why}` : ''}`, 'none');
    }
    case 'cancelled':
      throw new RemoteError('NodeError', `The server '${name}' cancelled the task${message ? `: ${message}` : ''}`, 'none'); // prettier-ignore
    default:
      throw new RemoteError('ServiceError', `The server '${name}' answered with the unknown status '${text(status)}'`, 'unknown'); // prettier-ignore
  }
}

function pollOf(given: unknown): number {
  return typeof given === 'number' && given > 0 ? Math.min(Math.max(given, MIN_POLL_MS), MAX_POLL_MS) : DEFAULT_POLL_MS;
}
