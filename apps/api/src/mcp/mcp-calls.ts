import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  INVOCATION_META,
  mcpErrorResult,
  mcpOutputSchema,
  toInputRequests,
  toMcpResult,
  toMcpTask,
} from '@errand/agents';
import type { Tool } from '@errand/contracts';
import {
  cancelInvocation,
  NotificationHub,
  Queues,
  readInvocation,
  readWholeInvocation,
  type StoredInvocation,
} from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import type { CallToolRequest, Result } from '@modelcontextprotocol/server';
import { ApiConfiguration, ApiLogger } from '../api-tokens.js';
import { notFound } from '../http/find-invocation.js';
import { toResponse } from '../http/to-response.js';
import { OpenWaits } from '../stream/open-waits.js';
import { McpAnswers, type McpQuestion } from './mcp-answers.js';
import { McpCatalogue } from './mcp-catalogue.js';
import { requireTasks, type McpRequest } from './mcp-exchange.js';
import { McpProgress } from './mcp-progress.js';
import { closedError, shutdownError, unknownTool } from './mcp-refusals.js';
import { McpSubmissions, type BegunCall } from './mcp-submissions.js';
import { McpWatch } from './mcp-watch.js';

/** The longest time that calls get for their answers when this process closes. */
const RELEASE_MS = 2_000;

/** A call in progress. */
interface OpenCall extends BegunCall {
  tool: Tool;
  watch: McpWatch;
}

/** `tools/call`: a submission that waits. It becomes a task, or a question to the user, where the client understands it. */
@Injectable()
export class McpCalls {
  /** What ends the waits of the calls that run. */
  private readonly open = new OpenWaits<AbortController>();
  private readonly running = new Set<Promise<Result>>();

  constructor(
    private readonly catalogue: McpCatalogue,
    private readonly answers: McpAnswers,
    private readonly submissions: McpSubmissions,
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly settings: ApiConfiguration,
    private readonly logger: ApiLogger,
  ) {}

  /** @throws ProblemError for a refused request; errors of the SDK for a client that lacks a capability */
  async call(params: CallToolRequest['params'], request: McpRequest): Promise<Result> {
    const { agent } = request.exchange;
    const tool = this.catalogue.find(params.name, agent);
    if (!tool) throw unknownTool(params.name, this.catalogue.suggest(params.name, agent));
    if (tool.mcp?.tasks === 'required') requireTasks(request);
    if (request.context.mcpReq.signal.aborted) throw closedError();
    if (this.open.isClosing) throw shutdownError('call again');
    const controller = new AbortController();
    const abort = () => controller.abort();
    request.context.mcpReq.signal.addEventListener('abort', abort, { once: true });
    this.open.add(controller);
    const running = this.run(params, tool, request, controller.signal);
    this.running.add(running);
    try {
      return await running;
    } finally {
      this.open.delete(controller);
      this.running.delete(running);
      request.context.mcpReq.signal.removeEventListener('abort', abort);
    }
  }

  /**
   * Ends all waits, and refuses later calls, so that the server can close. Resolves when the calls have their answers, or after RELEASE_MS if
   * Redis does not answer. The invocations go on.
   */
  async release(): Promise<void> {
    this.open.abortAll();
    const limit = new AbortController();
    const late = delay(RELEASE_MS, undefined, { signal: limit.signal }).catch(() => {});
    await Promise.race([Promise.allSettled(this.running), late]);
    limit.abort();
    // The SDK sends the answer of a call in later microtasks.
    await delay(0);
  }

  /** The result of an ended invocation, with the whole of a large one. */
  async resultOf(invocation: StoredInvocation, { sdk, exchange }: McpRequest) {
    const { id, resultTruncated, record, steps } = invocation;
    const whole = resultTruncated ? await readWholeInvocation(this.queues, exchange.scope.reach, id) : invocation;
    const response = toResponse(this.registry, whole ?? notFound(id), exchange.scope);
    const tool = this.registry.find(steps[0]?.toolId ?? '', { agent: record.agent });
    return toMcpResult(response, {
      isContentBlock: (value) => sdk.isSpecType.ContentBlock(value),
      hasOutputSchema: tool !== undefined && mcpOutputSchema(tool) !== undefined,
    });
  }

  private async run(
    params: CallToolRequest['params'],
    tool: Tool,
    request: McpRequest,
    signal: AbortSignal,
  ): Promise<Result> {
    const { reach } = request.exchange.scope;
    let watch: McpWatch | undefined;
    const openWatch = (id: string) => (watch = new McpWatch(this.queues, this.notifications, { reach, id }, signal));
    try {
      const begun = await this.submissions.begin(params, tool, request, openWatch);
      if ('refused' in begun) return begun.refused;
      return await this.follow({ ...begun, tool, watch: watch ?? openWatch(begun.id) }, request);
    } finally {
      watch?.close();
    }
  }

  private async follow(call: OpenCall, request: McpRequest): Promise<Result> {
    const mode = request.client.tasks ? (call.tool.mcp?.tasks ?? 'auto') : 'never';
    if (mode === 'always' || mode === 'required') return this.taskAtOnce(call, request);
    const deadline = mode === 'auto' ? Date.now() + this.settings.ERRAND_MCP_INLINE_MS : Infinity;
    const progress = McpProgress.of(call.id, this.queues, request);
    let { isFresh } = call;
    for (;;) {
      const pause = await call.watch.untilPause(isFresh, deadline, progress);
      if (pause.kind === 'gone') return notFound(call.id);
      if (pause.kind === 'aborted') return this.abandon(call, request);
      if (pause.kind === 'ended') return this.finish(pause.invocation, request, progress);
      if (pause.kind === 'late') return this.taskOf(pause.invocation);
      const questions = await this.answers.questionsOf(pause.invocation);
      const isAnswered = await this.answers.give(request.exchange.scope, pause.invocation, questions, call.responses);
      // Somebody else may answer a task over HTTP.
      const mayBeTask = mode === 'auto' && !request.client.forms;
      if (!isAnswered && questions.length > 0)
        return mayBeTask ? this.taskOf(pause.invocation) : this.ask(pause.invocation, questions, request);
      isFresh = true;
    }
  }

  private async taskAtOnce({ id }: OpenCall, { exchange: { scope } }: McpRequest): Promise<Result> {
    return this.taskOf((await readInvocation(this.queues, scope.reach, id)) ?? notFound(id));
  }

  private async finish(invocation: StoredInvocation, request: McpRequest, progress: McpProgress | undefined) {
    if (invocation.startedAt !== null) await progress?.begin();
    if (invocation.status === 'succeeded') await progress?.end();
    return this.resultOf(invocation, request);
  }

  private taskOf(invocation: StoredInvocation): Result {
    const kept = { retentionMs: this.queues.retention.ageSeconds * 1_000, now: Date.now() };
    return { resultType: 'task', ...toMcpTask(invocation, kept), _meta: { [INVOCATION_META]: invocation.id } };
  }

  /** Asks the user of the client. A client that has no way to ask gets an error, and nobody waits for an answer that never comes. */
  private async ask(
    invocation: StoredInvocation,
    questions: readonly McpQuestion[],
    request: McpRequest,
  ): Promise<Result> {
    const { client, exchange, seal } = request;
    const { id } = invocation;
    if (client.forms) {
      const requestState = await seal({ id, nonce: randomUUID() });
      const inputRequests = toInputRequests(questions);
      return { resultType: 'input_required', inputRequests, requestState, _meta: { [INVOCATION_META]: id } };
    }
    await cancelInvocation(this.queues, exchange.scope.reach, id, 'the MCP client cannot ask its user');
    const asker = questions[0]?.asker ?? 'The tool';
    const text = `Observation: Error - ${asker} needs an answer of the user, but this client has not declared the capability 'elicitation'. The invocation was cancelled.`;
    return { ...mcpErrorResult(text), _meta: { [INVOCATION_META]: id } };
  }

  /** The client has closed the response: its call is cancelled. A shutdown of this process cancels nothing. */
  private async abandon({ id }: OpenCall, { exchange: { scope } }: McpRequest): Promise<never> {
    if (this.open.isClosing) throw shutdownError(`the invocation ${id} goes on`);
    await cancelInvocation(this.queues, scope.reach, id, 'the MCP client closed the response').catch((err: unknown) =>
      this.logger.warn({ err, invocationId: id }, 'a call whose client has gone could not be cancelled'),
    );
    throw closedError();
  }
}
