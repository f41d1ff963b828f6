import { isDeeperThan, isObject, MAX_DEPTH } from '@errand/contracts';
import type { A2aVersion } from './a2a-caller.js';

/** A JSON-RPC error (2.0, 5.1). */
export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

export type RpcId = string | number | null;

/** A JSON-RPC request whose envelope is correct. */
export interface RpcRequest {
  jsonrpc: '2.0';
  id?: RpcId;
  method: string;
  params?: unknown;
}

export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  noMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  version: -32009,
} as const;

/** The envelope, a part, its content and its value lie around the data of the caller. */
const MAX_BODY_DEPTH = MAX_DEPTH + 8;

/** The version that a request asks for (`A2A-Version`). Without one it is 0.3, as the specification says. Undefined for another version. */
export function versionOf(header: string | string[] | undefined): A2aVersion | undefined {
  const [text = '0.3'] = [header].flat();
  const [, version] = /^(1\.0|0\.3)(?:\.\d{1,4})?$/.exec(text.trim() || '0.3') ?? [];
  return version as A2aVersion | undefined;
}

/** Checks the envelope of a request before the SDK reads it. @returns what is wrong, and how to fix it */
export function checkEnvelope(body: unknown): RpcRequest | { error: RpcError } {
  if (Array.isArray(body)) return refuse('A2A has no batches; send each request by itself');
  if (!isObject(body)) return refuse('The body must be a JSON-RPC request: an object');
  if (isDeeperThan(body, MAX_BODY_DEPTH)) return refuse(`The body nests deeper than ${MAX_DEPTH} levels`);
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0') return refuse('jsonrpc must be "2.0"');
  if (typeof method !== 'string' || method === '') return refuse('method must be a text such as SendMessage');
  if (!isId(id)) return refuse('id must be a text, a whole number or null');
  if (params !== undefined && !isObject(params)) return refuse('params must be an object', RPC.invalidParams);
  return { ...body, jsonrpc, method, id: id ?? null };
}

/** The id of a request for its response, as far as it can be read. */
export function idOf(body: unknown): RpcId {
  if (!isObject(body) || !isId(body['id'])) return null;
  return body['id'] ?? null;
}

function isId(id: unknown): id is RpcId | undefined {
  return id === undefined || id === null || typeof id === 'string' || Number.isSafeInteger(id);
}

function refuse(message: string, code: number = RPC.invalidRequest): { error: RpcError } {
  return { error: { code, message } };
}
