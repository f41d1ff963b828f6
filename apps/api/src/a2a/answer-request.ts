import { Injectable } from '@nestjs/common';
import { ApiLogger } from '../api-tokens.js';
import type { ProblemResponse } from '../http/problem-response.js';
import type { A2aCaller } from './a2a-caller.js';
import { A2aErrors } from './a2a-errors.js';
import { loadSdk, type A2aSdk } from './a2a-sdk.js';
import { A2aTasks } from './a2a-tasks.js';
import { AgentCards } from './agent-cards.js';
import { RPC, type RpcRequest } from './check-envelope.js';
import { FollowTask } from './follow-task.js';
import { ListTasks } from './list-tasks.js';
import { PushRequests } from './push-requests.js';
import { A2aRequestHandler, type A2aParts } from './request-handler.js';
import { SendMessage } from './send-message.js';

/** The answer to a request: one JSON-RPC response, or a stream of them. `failure` is set if the server cannot do it now. */
export interface RpcAnswer {
  response: object | AsyncIterable<object>;
  failure?: ProblemResponse | undefined;
}

/** Answers JSON-RPC requests by the transports of the SDK, in both versions of A2A. */
@Injectable()
export class AnswerRequest {
  private readonly parts: A2aParts;

  constructor(
    tasks: A2aTasks,
    sending: SendMessage,
    following: FollowTask,
    listing: ListTasks,
    pushes: PushRequests,
    private readonly cards: AgentCards,
    private readonly logger: ApiLogger,
  ) {
    this.parts = { tasks, sending, following, listing, pushes };
  }

  /** A stream is begun before it is returned, so that an error before its first event is a plain response. */
  async answer(caller: A2aCaller, request: RpcRequest): Promise<RpcAnswer> {
    const sdk = await loadSdk();
    const errors = new A2aErrors(sdk, this.logger);
    const card = () => this.cards.card(caller.agent, caller.base, caller.version);
    const handler = new A2aRequestHandler(sdk, errors, this.parts, caller, card);
    const response = await this.handle(sdk, handler, caller, request);
    if (!isStream(response)) return { response: explain(response, handler, request), failure: errors.failure };
    const events = response[Symbol.asyncIterator]();
    try {
      const first = await events.next();
      return { response: withFirst(first, events, (error) => errorOf(sdk, caller, request, error)) };
    } catch (error) {
      return { response: errorOf(sdk, caller, request, error), failure: errors.failure };
    }
  }

  private handle(sdk: A2aSdk, handler: A2aRequestHandler, { version }: A2aCaller, request: RpcRequest) {
    const context = new sdk.server.ServerCallContext({ requestedVersion: version });
    const transport =
      version === '1.0'
        ? new sdk.server.JsonRpcTransportHandler(handler)
        : new sdk.legacy.LegacyJsonRpcTransportHandler(handler);
    return transport.handle({ ...request }, context) as Promise<object | AsyncIterable<object>>;
  }
}

/** An error that the SDK threw before it called the handler is one of the parameters. Its text is about the code of the SDK. */
function explain(response: object, { wasCalled }: A2aRequestHandler, { method }: RpcRequest): object {
  const { error } = response as { error?: { code: number } };
  if (error?.code === RPC.internal && !wasCalled)
    return {
      ...response,
      error: { code: RPC.invalidParams, message: `params do not have the form that ${method} takes` },
    };
  if (error?.code === RPC.noMethod)
    return { ...response, error: { code: RPC.noMethod, message: unknownMethod(method) } };
  return response;
}

/** The names of 1.0 begin with a capital letter, those of 0.3 do not. */
function unknownMethod(method: string): string {
  const name = method.slice(0, 80);
  const version = /^[A-Z]/.test(method) ? '1.0' : '0.3';
  return `There is no method '${name}' in this version of A2A; methods of ${version} need the header A2A-Version: ${version}`;
}

function errorOf(sdk: A2aSdk, { version }: A2aCaller, { id = null }: RpcRequest, error: unknown): object {
  const known = error instanceof sdk.errors.A2AError ? error : new sdk.errors.A2AError('Internal error');
  const { JsonRpcTransportHandler } = sdk.server;
  const { LegacyJsonRpcTransportHandler } = sdk.legacy;
  const mapped =
    version === '1.0'
      ? JsonRpcTransportHandler.mapToJSONRPCError(known)
      : LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(known);
  return { jsonrpc: '2.0', id, error: mapped };
}

function isStream(response: object): response is AsyncIterable<object> {
  return Symbol.asyncIterator in response;
}

/** The events of a begun stream. An error becomes the last event. */
async function* withFirst(
  first: IteratorResult<object>,
  events: AsyncIterator<object>,
  toResponse: (error: unknown) => object,
): AsyncGenerator<object, void, undefined> {
  try {
    for (let event = first; !event.done; event = await events.next()) yield event.value;
  } catch (error) {
    yield toResponse(error);
  } finally {
    await events.return?.();
  }
}
