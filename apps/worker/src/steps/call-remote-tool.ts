import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ToolError,
  type Implementation,
  type Json,
  type JsonObject,
  type JsonSchema,
  type RemoteServer,
  type Tool,
} from '@errand/contracts';
import { Suspended, type CallOrigin } from '@errand/engine';
import { RemoteError, RemoteServers, type CallOutcome, type InputResponses } from '@errand/mcp-client';
import { noteRemoteTask, Queues } from '@errand/queue';
import { Registry } from '@errand/registry';
import { askForInput } from '../remote/ask-for-input.js';
import { operationOf, remoteField, type RemoteCallState } from '../remote/remote-call-state.js';
import { checkAnswerSchema } from './check-answer-schema.js';
import { RunComputation } from './run-computation.js';
import type { StepContext } from './step-context.js';

/** A call of a tool of another server. It has an origin if a node makes the call. */
interface RemoteToolCall {
  tool: Tool;
  target: Extract<Implementation, { type: 'mcp' }>;
  args: JsonObject;
  origin?: CallOrigin;
}

/** Everything about one call that its states need. */
interface Running extends RemoteToolCall {
  context: StepContext;
  server: RemoteServer;
  field: string;
}

type TaskState = RemoteCallState & Required<Pick<RemoteCallState, 'task'>>;

/** A longer wait for the next poll suspends the step. A shorter one stays in the process, because that costs less. */
const SUSPEND_AFTER_MS = 5_000;
/** A server may ask to be called again this often. */
const MAX_ROUNDS = 50;
const ROUND_PAUSE_MS = 1_000;

/**
 * Calls tools of other servers. A call has states, which the journal keeps, so that another process continues it:
 *
 * - nothing: the call is sent. Its answer is the result, a task, or questions.
 * - `task`: the task is polled. It ends with the result, or it asks.
 * - `asked`: the step is suspended for each answer. Then the call is sent again with the answers, or the task gets them.
 *
 * The answers of people and a task that goes on cost no second run. Otherwise a tool with `effects: once` is not called
 * again after an unknown outcome.
 */
@Injectable()
export class CallRemoteTool {
  constructor(
    @Inject(Registry) private readonly registry: Registry,
    @Inject(Queues) private readonly queues: Queues,
    @Inject(RemoteServers) private readonly servers: RemoteServers,
    @Inject(RunComputation) private readonly computation: RunComputation,
  ) {}

  /** @throws ToolError if the tool fails or the server does not answer; Suspended while somebody must answer */
  async run(context: StepContext, call: RemoteToolCall): Promise<Json> {
    const { server: name } = call.target;
    const server = this.registry.servers.get(name);
    if (!server)
      throw new ToolError('ServiceError', `No mcp.json of this worker has the server '${name}'`, { tried: 1 });
    const running = { ...call, context, server, field: remoteField(context, call.origin) };
    try {
      return await this.advanceToEnd(running);
    } catch (error) {
      if (error instanceof RemoteError && error.type === 'NodeError')
        await context.journal.write([[running.field, null]]);
      throw error;
    }
  }

  private async advanceToEnd(running: Running): Promise<Json> {
    const { context, field } = running;
    let state = ((await context.journal.read(field)) ?? {}) as RemoteCallState;
    for (;;) {
      const next = await this.advance(running, state);
      if ('result' in next) return next.result;
      state = { ...next, server: running.server.name };
      if (state.task) await noteRemoteTask(this.queues, context.work.id, field);
      // In one step: after a death in between, the answers to the questions could not be sent.
      await context.journal.write([[field, state]], state.task ? undefined : operationOf(context, running.origin));
    }
  }

  private async advance(running: Running, state: RemoteCallState): Promise<RemoteCallState | { result: Json }> {
    const { task, asked } = state;
    if (!asked) return task ? this.poll(running, { ...state, task }) : this.send(running, state);
    const { context, server } = running;
    const { requests, requestState } = asked;
    const { questions = 0, answered = [] } = state;
    const checkSchema = (schema: JsonSchema) =>
      checkAnswerSchema(this.computation, context.work, schema, context.signal);
    const responses = await askForInput(this.queues, context, { ...running, checkSchema }, requests, questions + 1);
    const asking = { questions: questions + requests.length };
    if (!task) return this.send(running, { ...state, ...asking }, { responses, requestState });
    await this.servers.answerTask(server, task.id, responses, context);
    return { task, ...asking, answered: [...answered, ...Object.keys(responses)] };
  }

  private async send(
    running: Running,
    { questions, rounds = 0 }: RemoteCallState,
    answers: { responses?: InputResponses; requestState?: string | undefined } = {},
  ): Promise<RemoteCallState | { result: Json }> {
    const outcome = await this.once(running, () => this.call(running, answers));
    const counts = { ...(questions !== undefined && { questions }), rounds: rounds + 1 };
    if (outcome.kind === 'result') return outcome;
    if (outcome.kind === 'task') return { task: outcome.task, ...counts };
    if (rounds >= MAX_ROUNDS)
      throw new RemoteError('NodeError', `The server '${running.server.name}' asked ${MAX_ROUNDS} times to be called again`, 'none'); // prettier-ignore
    if (outcome.requests.length === 0) await delay(ROUND_PAUSE_MS, undefined, { signal: running.context.signal });
    const { requests, requestState } = outcome;
    return { asked: { requests, ...(requestState !== undefined && { requestState }) }, ...counts };
  }

  private call(
    { context, server, target, tool, args, origin }: Running,
    { responses, requestState }: { responses?: InputResponses; requestState?: string | undefined },
  ): Promise<CallOutcome> {
    const { signal, events, progress, index } = context;
    return this.servers.call(
      server,
      {
        tool: target.tool,
        arguments: args,
        inputSchema: tool.parameters,
        ...(responses && Object.keys(responses).length > 0 && { inputResponses: responses }),
        ...(requestState !== undefined && { requestState }),
      },
      {
        signal,
        listener: {
          // A tool of a node does not report progress, because the node reports its own.
          onProgress: (...report) => (origin ? undefined : progress.report(index, ...report)),
          onLog: (line) => events.emit({ event: 'log', line, stream: 'node', step: index }),
        },
      },
    );
  }

  /** Waits for the next poll without a slot, because a task can take hours. @throws Suspended before a long wait */
  private async poll(running: Running, state: TaskState): Promise<RemoteCallState | { result: Json }> {
    const { context, server, origin } = running;
    const { task, answered = [], questions } = state;
    const { signal, work, progress, index } = context;
    for (let pollAt = state.pollAt ?? Date.now() + task.pollMs; ;) {
      const waitMs = pollAt - Date.now();
      if (waitMs > SUSPEND_AFTER_MS) await this.suspend(running, { ...state, pollAt });
      if (waitMs > 0) await work.withoutSlot(delay(waitMs, undefined, { signal }));
      const now = await this.servers.taskState(server, task.id, { signal });
      if (now.status === 'completed') return { result: now.result };
      pollAt = Date.now() + now.pollMs;
      if (now.status === 'working' && now.message !== undefined && !origin) progress.report(index, 0, now.message);
      const open = now.status === 'input' ? now.requests.filter(({ key }) => !answered.includes(key)) : [];
      const counts = { answered, ...(questions !== undefined && { questions }) };
      if (open.length > 0) return { task, asked: { requests: open }, ...counts };
    }
  }

  /** @throws Suspended until the next poll */
  private async suspend({ context, field, server }: Running, state: TaskState & { pollAt: number }): Promise<never> {
    await context.journal.write([[field, { ...state, server: server.name }]]);
    const untilThen = (signal: AbortSignal) => delay(state.pollAt - Date.now(), undefined, { signal });
    throw new Suspended(state.pollAt, false, untilThen);
  }

  /**
   * Sends a call. A tool with `effects: once` is not sent again if an earlier outcome is unknown.
   * @throws LostError; what `send` throws, without further attempts if the outcome is unknown
   */
  private async once({ context, tool, origin }: Running, send: () => Promise<CallOutcome>): Promise<CallOutcome> {
    if (tool.effects !== 'once') return send();
    const { journal } = context;
    const operation = operationOf(context, origin);
    if (!(await journal.beginOnce(operation)))
      throw new ToolError('LostError', `The process that called ${tool.toolId} died. ${unknownEffect(tool)}`);
    try {
      return await send();
    } catch (error) {
      if (error instanceof Suspended || !(error instanceof ToolError) || context.signal.aborted) throw error;
      const isUnknown = error instanceof RemoteError && error.outcome === 'unknown';
      if (!isUnknown) await journal.clearOnce(operation);
      throw isUnknown ? withoutRetry(error, tool) : error;
    }
  }
}

function unknownEffect({ toolId }: Tool): string {
  return `It is unknown whether ${toolId} took effect, and it may take effect only once`;
}

function withoutRetry({ type, message, details, cause }: ToolError, tool: Tool): ToolError {
  return new ToolError(type, `${message}. ${unknownEffect(tool)}`, { ...details, tried: 1 }, { cause });
}
