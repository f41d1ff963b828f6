import type { CallToolResult, Tool } from '../connect/sdk.js';
import { isObject, type Json, type JsonObject, type JsonSchema, type RemoteServer } from '@errand/contracts';
import { Connection } from '../connect/server-connection.js';
import { hiddenTask } from '../connect/raw-requests.js';
import { DEFAULT_TIMEOUT_MS, type RemoteOptions } from '../connect/remote-options.js';
import type { CallContext } from './call-context.js';
import { CallReports } from './call-reports.js';
import { readRequests, type InputRequest, type InputResponses } from './input-requests.js';
import { readResult } from './result-of-call.js';
import { readTask, type RemoteTask } from './tasks.js';

/** One call of a tool of another server. */
export interface RemoteCall {
  tool: string;
  arguments: JsonObject;
  /** Its `inputSchema`: some parameters travel as headers, too. */
  inputSchema: JsonSchema;
  /** The answers to what the server asked, and the state that came with the questions. */
  inputResponses?: InputResponses;
  requestState?: string;
}

/** How a call ended, or what it needs to go on. */
export type CallOutcome =
  | { kind: 'result'; result: Json }
  | { kind: 'task'; task: RemoteTask }
  | { kind: 'input'; requests: InputRequest[]; requestState?: string };

/**
 * Calls a tool over a connection of its own, so that its progress and its logs can belong to no other call.
 * @throws RemoteError; the reason of the signal
 */
export async function callTool(
  server: RemoteServer,
  call: RemoteCall,
  options: RemoteOptions,
  { signal, listener, prior, onConnected }: CallContext,
): Promise<CallOutcome> {
  const connection = await Connection.open(server, options, { signal, prior });
  const timeoutMs = server.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const reports = new CallReports(listener, connection.server.mask);
  try {
    onConnected?.(connection.discovery);
    reports.readLogs(connection);
    connection.isSent = true;
    const result = await send(connection, call, { signal, timeoutMs, reports });
    return outcomeOf(result, connection);
  } catch (thrown) {
    signal.throwIfAborted();
    throw connection.explain(thrown, timeoutMs);
  } finally {
    reports.end();
    await connection.close();
  }
}

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

function send(
  { client, isModern }: Connection,
  { tool, arguments: args, inputSchema, inputResponses, requestState }: RemoteCall,
  { signal, timeoutMs, reports }: { signal: AbortSignal; timeoutMs: number; reports: CallReports },
): Promise<CallToolResult> {
  const params = {
    name: tool,
    arguments: args,
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
    ...(isModern && { _meta: { [LOG_LEVEL]: 'info' } }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the headers that it names are read
  const toolDefinition = { name: tool, inputSchema } as Tool;
  return client.callTool(params, {
    signal,
    timeout: timeoutMs,
    maxTotalTimeout: timeoutMs,
    allowInputRequired: true,
    toolDefinition,
    onprogress: (progress) => reports.progress(progress),
  });
}

function outcomeOf(result: CallToolResult, { server }: Connection): CallOutcome {
  const raw: Record<string, unknown> = result;
  const task = hiddenTask(raw);
  if (task) return { kind: 'task', task: readTask(task, server) };
  if (raw.resultType !== 'input_required') return { kind: 'result', result: readResult(raw, server) };
  const requests = readRequests(isObject(raw.inputRequests) ? raw.inputRequests : {}, server);
  const { requestState } = raw;
  return { kind: 'input', requests, ...(typeof requestState === 'string' && { requestState }) };
}
