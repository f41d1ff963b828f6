import { Inject, Injectable } from '@nestjs/common';
import {
  ToolError,
  type Definition,
  type Json,
  type JsonObject,
  type ServiceContext,
  type Tool,
} from '@errand/contracts';
import { Suspended, type CallOrigin } from '@errand/engine';
import {
  Definitions,
  AttemptFailed,
  decideRetry,
  Queues,
  runChild,
  RunnerAwaited,
  ScriptFailed,
  NotificationHub,
  type RecordedCall,
} from '@errand/queue';
import { Registry, requireOutput } from '@errand/registry';
import { CallAgent } from '../turn/call-agent.js';
import { RunTurn } from '../turn/run-turn.js';
import { CLIENT_SOURCE } from '../turn/turn-tools.js';
import { callService } from './call-method.js';
import { checkClientCall, type CheckedArguments } from './check-client-arguments.js';
import { RunComputation } from './run-computation.js';
import { findToolsOf } from './find-tools.js';
import { CallRemoteTool } from './call-remote-tool.js';
import { readInvocationsOf } from './read-invocations.js';
import { sessionAccessOf } from './session-access.js';
import { runExternal } from './run-external.js';
import { RunWorkflowStep, type Target } from './run-workflow-step.js';
import { RunOnceInSession, type SessionResult } from './run-once-in-session.js';
import { withAttempts, retryTool } from './retry-tool.js';
import { actorOf, type StepContext } from './step-context.js';

/** The retry options of a script whose node makes the attempts itself. */
const SINGLE_ATTEMPT = { retry: { attempts: 1 } };

/** Runs one call by the kind of its tool: nodes and workflows in the engine, services in this process, scripts as jobs of their own. */
@Injectable()
export class DispatchTool {
  constructor(
    @Inject(Registry) private readonly registry: Registry,
    @Inject(Queues) private readonly queues: Queues,
    @Inject(Definitions) private readonly definitions: Definitions,
    @Inject(NotificationHub) private readonly notifications: NotificationHub,
    @Inject(RunWorkflowStep) private readonly runWorkflowStep: RunWorkflowStep,
    @Inject(RunOnceInSession) private readonly onceInSession: RunOnceInSession,
    @Inject(RunTurn) private readonly runTurn: RunTurn,
    @Inject(CallAgent) private readonly callAgent: CallAgent,
    @Inject(CallRemoteTool) private readonly callRemoteTool: CallRemoteTool,
    @Inject(RunComputation) private readonly computation: RunComputation,
  ) {}

  /** @throws ToolError if the tool fails; Suspended while the call, or the same call elsewhere, waits */
  async run(context: StepContext, given: JsonObject): Promise<SessionResult> {
    const { digest } = context.call;
    const definition = await this.definitions.get(digest);
    const args = await this.validateCall(context, definition.tool, given);
    return this.onceInSession.run(context, definition.tool, args, () =>
      this.execute(context, args, { definition, digest }),
    );
  }

  /**
   * Decides whether a failed step is retried. A failed script is not: its own job has used all attempts. Another error in the step of
   * a script is an internal error.
   * @param attempts the number of starts of the step
   */
  async decideStepRetry(context: StepContext, thrown: unknown, attempts: number): Promise<AttemptFailed> {
    const { digest, kind } = context.call;
    const failure = thrown instanceof ToolError ? thrown : toServiceError(thrown);
    if (kind === 'script' && thrown instanceof ToolError) return new AttemptFailed(failure, undefined);
    const known = await this.definitions.get(digest).catch(() => undefined);
    return decideRetry(failure, { attempts, asked: context.work.record.retry, own: known?.tool.retry });
  }

  /** The schema of a client tool comes from the caller, so a thread applies it. */
  private async validateCall(context: StepContext, tool: Tool, given: JsonObject): Promise<JsonObject> {
    if (tool.source !== CLIENT_SOURCE) return this.validate(tool, given);
    return validArguments(tool, await checkClientCall(this.computation, context, { tool, arguments: given }));
  }

  private validate(tool: Tool, given: JsonObject): JsonObject {
    return validArguments(tool, this.registry.validate(tool, given));
  }

  private async execute(context: StepContext, args: JsonObject, target: Target): Promise<Json> {
    const result = await this.dispatch(context, args, target);
    // A turn has checked its answer, and asked the model again if it did not fit.
    if (target.definition.tool.kind !== 'agent') requireOutput(target.definition.tool, result);
    return result;
  }

  private dispatch(context: StepContext, args: JsonObject, target: Target): Promise<Json> {
    const { tool } = target.definition;
    const { implementation } = tool;
    switch (implementation.type) {
      case 'node':
      case 'workflow':
        return this.once(context, target, () => this.runWorkflowStep.run(context, args, target, this.callTool));
      case 'service':
        return this.once(context, target, () =>
          callService(this.registry.services, implementation, args, this.serviceContext(context, target)),
        );
      case 'script':
      case 'caller-script':
        return this.runScript(context, args, target);
      case 'external':
        return runExternal(this.queues, context, { tool, args, ...(target.origin && { origin: target.origin }) });
      case 'agent':
        // The rounds of a turn are stored by its step. A node shares its step with others, so its turn is an invocation of its own.
        if (target.origin) return this.callAgent.run(context, { ...target, args, origin: target.origin });
        return this.runTurn.run(context, args, target, this.callTool);
      case 'mcp':
        return this.callRemoteTool.run(context, {
          tool,
          target: implementation,
          args,
          ...(target.origin && { origin: target.origin }),
        });
      default:
        return implementation satisfies never;
    }
  }

  private serviceContext(context: StepContext, target: Target): ServiceContext {
    const { queues, definitions, registry } = this;
    const { tenant, agent, maxResultChars } = context.work.record;
    return {
      signal: context.signal,
      ...actorOf(context),
      invocations: readInvocationsOf(queues, tenant, maxResultChars),
      sessions: sessionAccessOf({ queues, definitions, registry }, context, keyOf(context, target)),
      tools: findToolsOf(registry, agent),
    };
  }

  /**
   * Does not begin a tool with `effects: once` again if an earlier attempt began it and its outcome is unknown. Scripts need no such
   * check: the job of a script has its own.
   */
  private async once(
    { journal, index, signal }: StepContext,
    { definition, origin }: Target,
    begin: () => Promise<Json>,
  ): Promise<Json> {
    const { tool } = definition;
    if (tool.effects !== 'once') return begin();
    const key = keyOf({ index }, { origin });
    if (!(await journal.beginOnce(key))) {
      throw new ToolError(
        'LostError',
        `The process that ran ${tool.toolId} died. It is unknown whether the tool took effect, and it may take effect only once`,
      );
    }
    try {
      return await begin();
    } catch (error) {
      const isKnown = error instanceof Suspended || (error instanceof ToolError && !signal.aborted);
      if (isKnown) await journal.clearOnce(key);
      throw error;
    }
  }

  /** Runs a tool for a node. The author of the workflow chose the tool, so the inventory of the calling agent is not checked. */
  private readonly callTool = async (
    context: StepContext,
    toolId: string,
    args: JsonObject,
    origin: CallOrigin,
  ): Promise<Json> => {
    const tool = this.registry.find(toolId);
    if (!tool) throw new ToolError('ParameterValidationError', `Unknown tool '${toolId}'`);
    const defined = await this.registry.define(tool, args);
    const { definition } = defined;
    const valid = this.validate(definition.tool, args);
    if (mustFindOutcomesStored(definition.tool)) await origin.stored();
    const own = { ...context, signal: origin.signal };
    return retryTool(own, { tool: definition.tool, origin }, () => this.execute(own, valid, { ...defined, origin }));
  };

  /**
   * Runs a script as a child job, in the queue of the label that its tool names. A script that the caller names by path is packed here,
   * because only now the path is known. While no runner offers the label, the step is suspended.
   */
  private async runScript(
    context: StepContext,
    args: JsonObject,
    { definition, digest, origin }: Target,
  ): Promise<Json> {
    const packed = definition.script ? { definition, digest } : await this.registry.define(definition.tool, args);
    await this.definitions.put([packed]);
    const { record, id } = context.work;
    const { runner: label } = definition.tool;
    const parent = { invocationId: id, step: context.index };
    const child = { ...record, ...(origin?.isRetried && SINGLE_ATTEMPT), calls: [toCall(packed, args)], parent };
    const outcome = await runChild(this.queues, this.notifications, child, context.signal, {
      ...(label !== undefined && { label }),
      ...(origin && { node: origin.key }),
      // A script of a node does not report progress, because the node reports its own.
      ...(!origin && { onProgress: (...progress) => context.progress.report(context.index, ...progress) }),
    }).catch((error: unknown) => {
      if (error instanceof RunnerAwaited) throw suspendedFor(context, error);
      throw origin && !origin.isRetried && error instanceof ScriptFailed ? withAttempts(error, error.attempts) : error;
    });
    return outcome.result ?? null;
  }
}

/**
 * Whether the outcomes of a workflow must be stored before one of its nodes calls the tool. The nodes inside a node or a workflow take care
 * of themselves. The run of a script, an agent or another server is stored under the key of the call, so it must not depend on an outcome
 * that a crash takes back.
 */
function mustFindOutcomesStored({ implementation: { type }, effects }: Tool): boolean {
  if (type === 'node' || type === 'workflow') return effects !== undefined && effects !== 'none';
  return type !== 'service' || effects !== 'none';
}

/** The name of a call within its invocation. */
function keyOf({ index }: Pick<StepContext, 'index'>, { origin }: Pick<Target, 'origin'>): string {
  return origin ? `${index}/${origin.key}` : `${index}`;
}

/** Suspends the step until a runner takes the script. `awaited` has the label meanwhile, for the state of the step. */
function suspendedFor({ awaited }: StepContext, { label, taken }: RunnerAwaited): Suspended {
  awaited.add(label);
  return new Suspended(undefined, false, async (signal) => {
    if (await taken(signal)) awaited.delete(label);
  });
}

/** @throws ParameterValidationError if they have problems */
function validArguments({ toolId }: Tool, checked: CheckedArguments): JsonObject {
  const { arguments: args, problems } = checked;
  if (problems.length === 0) return args;
  const messages = problems.map((problem) => problem.message).join('; ');
  throw new ToolError('ParameterValidationError', `Invalid parameters for ${toolId}: ${messages}`, { problems });
}

function toServiceError(thrown: unknown): ToolError {
  return new ToolError('ServiceError', thrown instanceof Error ? thrown.message : String(thrown));
}

function toCall({ definition, digest }: { definition: Definition; digest: string }, args: JsonObject): RecordedCall {
  const { toolId, version, kind } = definition.tool;
  return { toolId, version, kind, digest, arguments: args };
}
