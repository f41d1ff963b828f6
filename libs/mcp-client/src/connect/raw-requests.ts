import type { Client, JSONRPCMessage, Transport } from './sdk.js';
import { isObject } from '@errand/contracts';
import { CAPABILITIES, CLIENT_NAME } from './client-identity.js';

/** The field under which the result of a started task hides from the SDK, which does not know such results. */
export const TASK_FIELD = 'errand/task';

interface Pending {
  resolve: (result: Record<string, unknown>) => void;
  reject: (error: Error) => void;
}

/** An error that the server answered. */
export class AnsweredError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'AnsweredError';
  }
}

/**
 * Requests beside those of the SDK, on the same transport: tasks, which the SDK does not know, and lists, which it would
 * check tool by tool at a cost that a server chooses. Their ids are strings, so that they never meet the numbers of the SDK.
 */
export class RawRequests {
  private readonly pending = new Map<string, Pending>();
  private readonly sending = new Set<Promise<unknown>>();
  private lastId = 0;

  /** The SDK calls a handler that is set before it connects first, with the same message. */
  constructor(
    private readonly transport: Transport,
    private readonly client: Client,
    private readonly version: string,
  ) {
    this.rememberSends();
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no listeners
    transport.onmessage = (message) => this.take(message);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no listeners
    transport.onclose = () => this.rejectAll();
  }

  /**
   * @throws AnsweredError; what the transport throws; the reason of the signal
   */
  async request(
    method: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    signal.throwIfAborted();
    const id = `errand:${++this.lastId}`;
    const meta = this.envelope();
    const message = { jsonrpc: '2.0', id, method, params: { ...params, ...(meta && { _meta: meta }) } } as const;
    let stop: () => void = () => undefined;
    try {
      return await new Promise((resolve, reject) => {
        stop = () => reject(signal.reason as Error);
        signal.addEventListener('abort', stop);
        this.pending.set(id, { resolve, reject });
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parameters are JSON
        this.transport.send(message as JSONRPCMessage, { requestSignal: signal }).catch(reject);
      });
    } finally {
      signal.removeEventListener('abort', stop);
      this.pending.delete(id);
    }
  }

  /** Resolves when every message was sent. */
  async settled(): Promise<void> {
    const limit = new Promise((resolve) => setTimeout(resolve, 2_000).unref());
    await Promise.race([Promise.allSettled(this.sending), limit]);
  }

  /** Notifications such as a cancel must leave before the connection is closed. */
  private rememberSends(): void {
    const send = this.transport.send.bind(this.transport);
    this.transport.send = (message, options) => {
      const sending = send(message, options);
      if ('id' in message) return sending;
      this.sending.add(sending);
      const forget = () => this.sending.delete(sending);
      sending.then(forget, forget);
      return sending;
    };
  }

  private envelope(): Record<string, unknown> | undefined {
    const version = this.client.getNegotiatedProtocolVersion();
    if (this.client.getProtocolEra() !== 'modern') return undefined;
    return {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: CLIENT_NAME, version: this.version },
      'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
    };
  }

  /** A command that ends answers nothing any more. */
  private rejectAll(): void {
    for (const { reject } of this.pending.values()) reject(new Error('the connection ended before the answer'));
  }

  private take(message: JSONRPCMessage): void {
    if (!('id' in message) || 'method' in message) return;
    if ('result' in message) hideTask(message.result);
    const pending = typeof message.id === 'string' ? this.pending.get(message.id) : undefined;
    if (!pending) return;
    if ('result' in message) pending.resolve(message.result);
    else pending.reject(new AnsweredError(message.error.code, message.error.message));
  }
}

/** Changes the result of a started task to one that the SDK passes on. */
function hideTask(result: Record<string, unknown>): void {
  if (result.resultType !== 'task') return;
  const task = { ...result };
  for (const key of Object.keys(result)) delete result[key];
  Object.assign(result, { resultType: 'complete', content: [], _meta: { [TASK_FIELD]: task } });
}

/** The task of a result that was hidden; undefined for another result. */
export function hiddenTask(result: Record<string, unknown>): Record<string, unknown> | undefined {
  const { _meta: meta } = result;
  const task = isObject(meta) ? meta[TASK_FIELD] : undefined;
  return isObject(task) ? task : undefined;
}
