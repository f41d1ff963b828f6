import { mcpErrorResult, type McpCallResult } from '@errand/agents';
import { didYouMean, type Tool } from '@errand/contracts';
import { Queues, readInvocation } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import type { CallToolRequest } from '@modelcontextprotocol/server';
import { notFound } from '../http/find-invocation.js';
import { ProblemError } from '../http/problem-error.js';
import { RequestPipe } from '../http/request-pipe.js';
import { SubmitRequest } from '../http/submission-requests.js';
import type { OnBeforeEnqueue } from '../submit/assign-id.js';
import { SubmitInvocation } from '../submit/submit-invocation.js';
import type { McpResponses } from './mcp-answers.js';
import type { McpCallState, McpRequest } from './mcp-exchange.js';

/** The invocation of a call, and the answers that came with the request. */
export interface BegunCall {
  id: string;
  /** It was enqueued just now. */
  isFresh: boolean;
  responses: McpResponses;
}

/** Makes the invocation of a call, or finds that of its earlier rounds. */
@Injectable()
export class McpSubmissions {
  constructor(
    private readonly submitInvocation: SubmitInvocation,
    private readonly queues: Queues,
  ) {}

  /**
   * Submits the call, unless the request continues an earlier round. Wrong arguments are a result that the model can read.
   * @throws ProblemError for any other refusal
   */
  async begin(
    params: CallToolRequest['params'],
    tool: Tool,
    request: McpRequest,
    onBeforeEnqueue: OnBeforeEnqueue,
  ): Promise<BegunCall | { refused: McpCallResult }> {
    const { mcpReq } = request.context;
    const responses: McpResponses = new Map(Object.entries(mcpReq.inputResponses ?? {}));
    const state = mcpReq.requestState<McpCallState>();
    if (state !== undefined) return { id: await this.earlier(state.id, tool, request), isFresh: false, responses };
    try {
      return { ...(await this.submit(params, request, onBeforeEnqueue)), responses };
    } catch (error) {
      const observation = error instanceof ProblemError ? error.more.observation : undefined;
      if (observation === undefined) throw error;
      return { refused: mcpErrorResult(observation) };
    }
  }

  private async submit(params: CallToolRequest['params'], { exchange }: McpRequest, onBeforeEnqueue: OnBeforeEnqueue) {
    const { scope, trace, agent } = exchange;
    const { body, idempotencyKey } = readSubmission(params, agent);
    const submitter = {
      tenant: scope.tenant,
      ...(trace !== undefined && { trace }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
    const accepted = await this.submitInvocation.submit(body, submitter, onBeforeEnqueue);
    if (accepted.status === 'no_action') throw new ProblemError('invalid_request', 'The call calls nothing');
    return { id: accepted.id, isFresh: idempotencyKey === undefined };
  }

  /** @throws ProblemError if the state belongs to another tool or endpoint, or the invocation no longer exists */
  private async earlier(id: string, tool: Tool, { exchange: { scope, agent } }: McpRequest): Promise<string> {
    const known = await readInvocation(this.queues, scope.reach, id);
    if (!known) return notFound(id);
    if (known.record.calls[0]?.toolId === tool.toolId && known.record.agent === agent) return id;
    throw new ProblemError('invalid_request', `requestState belongs to a call of another tool than ${tool.toolId}`);
  }
}

/** The fields of `_meta` that belong to Errand, and the fields of a submission that they become. */
const META = { 'errand/session': 'session', 'errand/options': 'options' } as const;
const KEY_META = 'errand/idempotencyKey';
const PREFIX = 'errand/';

const pipe = new RequestPipe();

/**
 * The submission of a call. It is checked as the body of `POST /v1/invocations` is.
 * @throws ProblemError for a field of `_meta` that is wrong or unknown
 */
function readSubmission(
  { name, arguments: args = {}, _meta: meta = {} }: CallToolRequest['params'],
  agent: string | undefined,
): { body: SubmitRequest; idempotencyKey?: string } {
  const own: Record<string, unknown> = { ...meta };
  requireKnown(Object.keys(own));
  const fields = Object.entries(META).flatMap(([key, field]) =>
    own[key] === undefined ? [] : [[field, own[key]] as const],
  );
  const given = { toolId: name, arguments: args, ...(agent !== undefined && { agent }), ...Object.fromEntries(fields) };
  const body = pipe.transform(given, { type: 'body', metatype: SubmitRequest });
  if (!(body instanceof SubmitRequest)) throw new TypeError('the pipe returns an instance of its class');
  const key = own[KEY_META];
  if (key === undefined) return { body };
  if (typeof key !== 'string') throw new ProblemError('invalid_request', `${KEY_META} must be a text`);
  return { body, idempotencyKey: key };
}

function requireKnown(names: readonly string[]): void {
  const known = [...Object.keys(META), KEY_META];
  const wrong = names.find((name) => name.startsWith(PREFIX) && !known.includes(name));
  if (wrong === undefined) return;
  const suggestion = didYouMean(wrong, known);
  const hint = suggestion === undefined ? `; the names are ${known.join(', ')}` : `, did you mean '${suggestion}'?`;
  throw new ProblemError('invalid_request', `Unknown field '${wrong.slice(0, 80)}' in _meta${hint}`);
}
