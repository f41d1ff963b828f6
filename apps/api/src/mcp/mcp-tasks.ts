import { toDetailedTask, toInputRequests, toMcpTask } from '@errand/agents';
import { isFinal, isInvocationId } from '@errand/contracts';
import { cancelInvocation, Queues, readInvocation, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import type { Result } from '@modelcontextprotocol/server';
import { ProblemError } from '../http/problem-error.js';
import { toResponse } from '../http/to-response.js';
import { McpAnswers } from './mcp-answers.js';
import { McpCalls } from './mcp-calls.js';
import { requireTasks, type McpRequest } from './mcp-exchange.js';

/** The empty result of a request that has an effect only. */
const ACKNOWLEDGED: Result = { resultType: 'complete' };

/** The tasks extension. A task is an invocation, and its id is that of the invocation. */
@Injectable()
export class McpTasks {
  constructor(
    private readonly answers: McpAnswers,
    private readonly calls: McpCalls,
    private readonly registry: Registry,
    private readonly queues: Queues,
  ) {}

  /** `tasks/get`: the state of a task, with its questions or its result. @throws ProblemError for an unknown id */
  async get(taskId: string, request: McpRequest): Promise<Result> {
    const invocation = await this.find(taskId, request);
    const kept = { retentionMs: this.queues.retention.ageSeconds * 1_000, now: Date.now() };
    const source = toResponse(this.registry, invocation, request.exchange.scope);
    const task = toMcpTask(source, kept);
    if (isFinal(invocation.status)) {
      const result = task.status === 'completed' ? await this.calls.resultOf(invocation, request) : undefined;
      return { ...ACKNOWLEDGED, ...toDetailedTask(task, source, { result }) };
    }
    const inputs = toInputRequests(await this.answers.questionsOf(invocation));
    // A client gets no question that it has not declared to understand. Somebody else may answer it over HTTP.
    const state = task.status === 'input_required' ? { ...task, status: 'working' as const } : task;
    return { ...ACKNOWLEDGED, ...toDetailedTask(state, source, { inputs: request.client.forms ? inputs : undefined }) };
  }

  /** `tasks/update`: answers to some or all questions of a task. */
  async update(taskId: string, request: McpRequest): Promise<Result> {
    const invocation = await this.find(taskId, request);
    const responses = new Map<string, unknown>(Object.entries(request.context.mcpReq.inputResponses ?? {}));
    const questions = await this.answers.questionsOf(invocation);
    await this.answers.give(request.exchange.scope, invocation, questions, responses);
    return ACKNOWLEDGED;
  }

  /** `tasks/cancel`: acknowledged, also for a task that has ended. */
  async cancel(taskId: string, request: McpRequest): Promise<Result> {
    const { id } = await this.find(taskId, request);
    await cancelInvocation(this.queues, request.exchange.scope.reach, id, 'the MCP client cancelled the task');
    return ACKNOWLEDGED;
  }

  /** The invocation of a task that this endpoint and its caller may see. */
  private async find(taskId: string, request: McpRequest): Promise<StoredInvocation> {
    requireTasks(request);
    const { scope, agent } = request.exchange;
    const known = isInvocationId(taskId) ? await readInvocation(this.queues, scope.reach, taskId) : undefined;
    if (known && (agent === undefined || known.record.agent === agent)) return known;
    throw new ProblemError('not_found', `There is no task ${taskId.slice(0, 80)}; retention may have removed it`);
  }
}
