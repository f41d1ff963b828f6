import { clientToolsOf, newMessages, stateOf, type AguiInputMessage, type AguiNewMessage } from '@errand/agents';
import { isInvocationId, type JsonObject } from '@errand/contracts';
import {
  beginRun,
  knownMessages,
  Queues,
  readByDigest,
  readConversation,
  readInvocation,
  takenIds,
  type AguiRunName,
} from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { ProblemError } from '../http/problem-error.js';
import { RequestPipe } from '../http/request-pipe.js';
import { SubmitRequest } from '../http/submission-requests.js';
import { SubmitInvocation } from '../submit/submit-invocation.js';
import { nameOf, type RunRequest, type RunView } from './run-view.js';

const PIPE = new RequestPipe();

/** Begins a turn with the new messages of a request. */
@Injectable()
export class BeginTurn {
  constructor(
    private readonly submitInvocation: SubmitInvocation,
    private readonly queues: Queues,
  ) {}

  /**
   * Submits the turn, once for all requests with the same `runId`. A request without a new message shows the run that its last message began.
   * @throws ProblemError if the turn cannot be accepted
   */
  async begin(request: RunRequest, candidates: readonly AguiInputMessage[]): Promise<RunView> {
    const name = nameOf(request);
    const known = await this.knownOf(name, candidates);
    const isKnown = (id: string) => known.has(id);
    const isEmpty = known.size === 0 && (await this.isEmpty(name));
    const messages = newMessages(candidates, { isEmpty, isKnown });
    if (messages.at(-1)?.role !== 'user') return this.repeat(request, candidates.at(-1)?.id ?? '');
    const turn = await this.submit(request, messages);
    const taken = messages.flatMap(({ id }) => (id === '' ? [] : [takenMessage(id)]));
    const recorded = await beginRun(this.queues, name, { input: request.digest, turn, after: 0 }, { taken });
    return { kind: 'turn', turn: recorded.turn, after: recorded.after };
  }

  /** The ids that the conversation knows, or that an earlier run took. */
  private async knownOf(name: AguiRunName, candidates: readonly AguiInputMessage[]): Promise<Set<string>> {
    const ids = [...new Set(candidates.flatMap(({ id }) => (id === '' ? [] : [id])))];
    const [taken, stored] = await Promise.all([
      takenIds(this.queues, name, ids.map(takenMessage)),
      knownMessages(this.queues, name, ids.map(storedId)),
    ]);
    return new Set(ids.filter((id) => taken.has(takenMessage(id)) || stored.has(storedId(id))));
  }

  private async isEmpty(name: AguiRunName): Promise<boolean> {
    return (await readConversation(this.queues, name, { maxChars: 1 })).messages.length === 0;
  }

  /** The run that began with this message, under the `runId` of the request. */
  private async repeat(request: RunRequest, messageId: string): Promise<RunView> {
    const name = nameOf(request);
    const digest = (await takenIds(this.queues, name, [takenMessage(messageId)])).get(takenMessage(messageId));
    const earlier = digest === undefined ? undefined : await readByDigest(this.queues, name, digest);
    const turn = earlier?.turn ?? (await this.turnOf(name, messageId));
    const run = { input: request.digest, turn, after: earlier?.after ?? 0 };
    const recorded = await beginRun(this.queues, name, run, { taken: [] });
    return { kind: 'turn', turn: recorded.turn, after: recorded.after };
  }

  /** The turn to which a message of Errand belongs: its id begins with that of the turn. */
  private async turnOf({ tenant, session }: AguiRunName, messageId: string): Promise<string> {
    const [id = ''] = messageId.split('.', 1);
    const found = isInvocationId(id) ? await readInvocation(this.queues, tenant, id) : undefined;
    if (found?.session === session) return id;
    throw new ProblemError('invalid_request', 'The thread has all messages of the request; send a new one', {
      status: 422,
      errors: [{ path: '/messages', message: 'must hold a message that the thread does not have yet' }],
    });
  }

  private async submit(request: RunRequest, messages: readonly AguiNewMessage[]): Promise<string> {
    const { scope, trace } = request;
    const body = submissionOf(request, messages);
    const submitter = {
      tenant: scope.tenant,
      idempotencyKey: keyOf(nameOf(request)),
      ...(trace !== undefined && { trace }),
    };
    const accepted = await this.submitInvocation.submit(body, submitter);
    if ('id' in accepted) return accepted.id;
    throw new ProblemError('internal_error', 'The turn was not accepted');
  }
}

function submissionOf(
  { agent, input, forwarded: { options } }: RunRequest,
  messages: readonly AguiNewMessage[],
): SubmitRequest {
  const { tools, context } = input;
  const state = stateOf(input);
  const args: JsonObject = {
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...(tools.length > 0 && { tools: clientToolsOf(input) }),
    ...(context.length > 0 && { context: context.map(({ description, value }) => ({ description, value })) }),
    ...(state && { state }),
  };
  const body = {
    toolId: `agent:${agent}`,
    arguments: args,
    session: input.threadId,
    ...(options !== undefined && { options }),
  };
  try {
    return PIPE.transform(body, { type: 'body', metatype: SubmitRequest }) as SubmitRequest;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError(error.code, `forwardedProps: ${error.detail}`, { ...error.more, status: 422 });
  }
}

/** The key under which a run submits its turn once, also if two requests come together. */
function keyOf({ session, agent, runId }: AguiRunName): string {
  return `agui:${createHash('sha256')
    .update(JSON.stringify([session, agent, runId]))
    .digest('base64url')}`;
}

export function takenMessage(id: string): string {
  return `message ${id}`;
}

/** The id under which the conversation has a message that a run has sent: the attempt of a text is no part of it. */
function storedId(id: string): string {
  return id.replace(/^(inv_[0-9a-z]+\.\d+\.a)\..*$/, '$1');
}
