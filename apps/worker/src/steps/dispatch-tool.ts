import { ToolError, type Definition, type Json, type JsonObject, type Tool } from '@errand/contracts';
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
import { callService } from './call-method.js';
import { readInvocationsOf } from './read-invocations.js';
import { runExternal } from './run-external.js';
import { RunWorkflowStep, type Target } from './run-workflow-step.js';
import { RunOnceInSession, type Ran } from './run-once-in-session.js';
import { triedOut, tryRepeatedly } from './try-repeatedly.js';
import type { StepContext } from './step-context.js';

/** Of a script whose node says how often it is tried. */
const TRIED_ONCE = { retry: { attempts: 1 } };

/** Runs one call by what stands behind its tool: a node or a workflow in the engine, a service here, a script in the sandbox. */
export class DispatchTool {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly notifications: NotificationHub,
    private readonly runWorkflowStep: RunWorkflowStep,
    private readonly onceInSession: RunOnceInSession,
  ) {}

  /** @throws ToolError as the tool failed; Suspended while it, or the same call elsewhere, waits */
  async run(context: StepContext, given: JsonObject): Promise<Ran> {
    const { digest } = callOf(context);
    const definition = await this.definitions.get(digest);
    const args = this.validate(definition.tool, given);
    return this.onceInSession.run(context, definition.tool, args, () =>
      this.execute(context, args, { definition, digest }),
    );
  }

  /**
   * What becomes of a step that has failed. A script has been tried as often as it may be, as the job of its own that it is; what
   * else its step fails for is the platform's.
   * @param attempts how often the step was begun
   */
  async decideStepRetry(context: StepContext, thrown: unknown, attempts: number): Promise<AttemptFailed> {
    const { digest, kind } = callOf(context);
    const failure = thrown instanceof ToolError ? thrown : faultOf(thrown);
    if (kind === 'script' && thrown instanceof ToolError) return new AttemptFailed(failure, undefined);
    const known = await this.definitions.get(digest).catch(() => undefined);
    return decideRetry(failure, { attempts, asked: context.work.record.retry, own: known?.tool.retry });
  }

  private validate(tool: Tool, given: JsonObject): JsonObject {
    const { arguments: args, problems } = this.registry.validate(tool, given);
    if (problems.length === 0) return args;
    const said = problems.map((problem) => problem.message).join('; ');
    throw new ToolError('ParameterValidationError', `Invalid parameters for ${tool.toolId}: ${said}`, { problems });
  }

  private async execute(context: StepContext, args: JsonObject, target: Target): Promise<Json> {
    const result = await this.dispatch(context, args, target);
    requireOutput(target.definition.tool, result);
    return result;
  }

  private dispatch(context: StepContext, args: JsonObject, target: Target): Promise<Json> {
    const { tool } = target.definition;
    const { implementation } = tool;
    const { signal } = context;
    switch (implementation.type) {
      case 'node':
      case 'workflow':
        return this.once(context, target, () => this.runWorkflowStep.run(context, args, target, this.callTool));
      case 'service':
        return this.once(context, target, () => {
          const { tenant, maxResultChars } = context.work.record;
          const invocations = readInvocationsOf(this.queues, tenant, maxResultChars);
          return callService(this.registry.services, implementation, args, { signal, invocations });
        });
      case 'script':
      case 'caller-script':
        return this.runScript(context, args, target);
      case 'external':
        return runExternal(this.queues, context, { tool, args, ...(target.origin && { origin: target.origin }) });
      default:
        return implementation satisfies never;
    }
  }

  /**
   * A tool with `effects: once` is not begun again where an earlier attempt began it and nobody knows how that ended. (A script is
   * a job of its own, whose outcome is known, or in doubt, by itself.)
   */
  private async once(
    { journal, index, signal }: StepContext,
    { definition, origin }: Target,
    begin: () => Promise<Json>,
  ): Promise<Json> {
    const { tool } = definition;
    if (tool.effects !== 'once') return begin();
    const what = origin ? `${index}/${origin.key}` : `${index}`;
    if (!(await journal.beginOnce(what))) {
      throw new ToolError(
        'LostError',
        `The process that ran ${tool.toolId} died; whether it took effect is not known, and it may take effect only once`,
      );
    }
    try {
      return await begin();
    } catch (error) {
      const isKnown = error instanceof Suspended || (error instanceof ToolError && !signal.aborted);
      if (isKnown) await journal.clearOnce(what);
      throw error;
    }
  }

  /** The workflow's author chose this tool: what the calling agent may call itself does not matter here. */
  private readonly callTool = async (
    context: StepContext,
    toolId: string,
    args: JsonObject,
    origin: CallOrigin,
  ): Promise<Json> => {
    const tool = this.registry.find(toolId);
    if (!tool) throw new ToolError('ParameterValidationError', `Unknown tool '${toolId}'`);
    const { digest, definition } = await this.registry.define(tool, args);
    const valid = this.validate(definition.tool, args);
    const own = { ...context, signal: origin.signal };
    return tryRepeatedly(own, { tool: definition.tool, origin }, () =>
      this.execute(own, valid, { definition, digest, origin }),
    );
  };

  /**
   * A script is a job of its own, in the queue of the label that its tool asks for; one that its caller names by path is packed now,
   * when the path is known. While nobody is free to take it, the step is parked.
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
    const child = { ...record, ...(origin?.isRetried && TRIED_ONCE), calls: [toCall(packed, args)], parent };
    const outcome = await runChild(this.queues, this.notifications, child, context.signal, {
      ...(label !== undefined && { label }),
      ...(origin && { node: origin.key }),
      // What runs for a node is a part of it, and the node says itself how far it is.
      ...(!origin && { onProgress: (...told) => context.progress.report(context.index, ...told) }),
    }).catch((error: unknown) => {
      if (error instanceof RunnerAwaited) throw suspendedFor(context, error);
      throw origin && !origin.isRetried && error instanceof ScriptFailed ? triedOut(error, error.attempts) : error;
    });
    return outcome.result ?? null;
  }
}

/** Until somebody takes the script; that is told of the step as long as it is parked. */
function suspendedFor({ awaited }: StepContext, { label, taken }: RunnerAwaited): Suspended {
  awaited.add(label);
  return new Suspended(undefined, false, async (signal) => {
    if (await taken(signal)) awaited.delete(label);
  });
}

function callOf({ work, index }: StepContext): RecordedCall {
  return work.record.calls[index]!;
}

function faultOf(thrown: unknown): ToolError {
  return new ToolError('ServiceError', thrown instanceof Error ? thrown.message : String(thrown));
}

function toCall({ definition, digest }: { definition: Definition; digest: string }, args: JsonObject): RecordedCall {
  const { toolId, version, kind } = definition.tool;
  return { toolId, version, kind, digest, arguments: args };
}
