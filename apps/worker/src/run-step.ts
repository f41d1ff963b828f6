import { own, ToolError, type Definition, type Implementation, type Json, type JsonObject } from '@errand/contracts';
import { resultOf, runWorkflow, workflowOfNode, type CallOrigin, type RunOptions } from '@errand/engine';
import { Definitions, Queues, runChild, Wakeups, type RecordedCall } from '@errand/queue';
import { Registry, requireOutput } from '@errand/registry';
import { RedisJournal } from './redis-journal.js';
import type { StepContext } from './step-context.js';
import { tellEngineEvent } from './tell-engine-event.js';

/** A tool to run: its definition, and the node that asks for it where a node does. */
interface Target {
  definition: Definition;
  digest: string;
  origin?: CallOrigin;
}

/** Runs one call by what stands behind its tool: a node or a workflow in the engine, a service here, a script in the sandbox. */
export class RunStep {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly wakeups: Wakeups,
  ) {}

  /** @throws ToolError as the tool failed */
  async run(context: StepContext, args: JsonObject): Promise<Json> {
    const { digest } = context.work.record.calls[context.index]!;
    return this.execute(context, args, { definition: await this.definitions.get(digest), digest });
  }

  private async execute(context: StepContext, given: JsonObject, target: Target): Promise<Json> {
    const result = await this.dispatch(context, given, target);
    const { tool } = target.definition;
    requireOutput(tool, result);
    return result;
  }

  private dispatch(context: StepContext, given: JsonObject, target: Target): Promise<Json> {
    const { tool } = target.definition;
    const { arguments: args, problems } = this.registry.validate(tool, given);
    if (problems.length > 0) {
      const said = problems.map((problem) => problem.message).join('; ');
      throw new ToolError('ParameterValidationError', `Invalid parameters for ${tool.toolId}: ${said}`, { problems });
    }
    if (context.work.afterCrash && tool.effects === 'once') {
      throw new ToolError(
        'LostError',
        `The process that ran ${tool.toolId} died; whether it took effect is not known, and it may take effect only once`,
      );
    }
    const { implementation } = tool;
    switch (implementation.type) {
      case 'node':
      case 'workflow':
        return this.runGraph(context, args, target);
      case 'service':
        return this.callService(implementation, args, context.signal);
      case 'script':
      case 'caller-script':
        return this.runScript(context, args, target);
      case 'external':
        throw new ToolError(
          'ServiceError',
          `${tool.toolId} is run by somebody outside; this version cannot wait for them`,
        );
      default:
        return implementation satisfies never;
    }
  }

  private async runGraph(context: StepContext, args: JsonObject, { definition, origin }: Target): Promise<Json> {
    const { implementation } = definition.tool;
    const options = this.optionsFor(context, definition, origin);
    if (implementation.type === 'node') {
      const nodeType = this.registry.nodeTypes.get(implementation.nodeType);
      if (!nodeType)
        throw new ToolError(
          'NodeError',
          `This worker does not have the node type ${implementation.nodeType}; its plugin is not deployed here`,
        );
      return resultOf(await runWorkflow(workflowOfNode(nodeType, args), {}, options));
    }
    if (implementation.type !== 'workflow') throw new TypeError(`${implementation.type} is no graph`);
    const workflow = own(definition.workflows, implementation.workflowId);
    if (!workflow) throw new ToolError('NodeError', `The definition of ${definition.tool.toolId} lacks its workflow`);
    const journal = new RedisJournal(
      this.queues,
      context.journal,
      context.work.id,
      context.index,
      origin && `${origin.key}/`,
    );
    return resultOf(await runWorkflow(workflow, args, { ...options, journal }));
  }

  private optionsFor(context: StepContext, definition: Definition, origin?: CallOrigin): RunOptions {
    return {
      nodeTypes: this.registry.nodeTypes,
      workflows: new Map(Object.entries(definition.workflows ?? {})),
      invocationId: context.work.id,
      signal: origin?.signal ?? context.signal,
      callTool: (toolId, args, asker) => this.callTool(context, toolId, args, asker),
      emit: (event) => tellEngineEvent(context, event, definition.tool.implementation),
    };
  }

  private async callTool(context: StepContext, toolId: string, args: JsonObject, origin: CallOrigin): Promise<Json> {
    // The workflow's author chose this tool: what the calling agent may call itself does not matter here.
    const tool = this.registry.find(toolId);
    if (!tool) throw new ToolError('ParameterValidationError', `Unknown tool '${toolId}'`);
    const { digest, definition } = await this.registry.define(tool, args);
    return this.execute({ ...context, signal: origin.signal }, args, { definition, digest, origin });
  }

  private async callService(
    { serviceName, methodName }: Extract<Implementation, { type: 'service' }>,
    args: JsonObject,
    signal: AbortSignal,
  ): Promise<Json> {
    const method = own(this.registry.services.get(serviceName)?.methods, methodName);
    if (!method) throw new ToolError('ServiceError', `The service ${serviceName} offers no method ${methodName}`);
    try {
      return await method(args, { signal });
    } catch (error) {
      if (error instanceof ToolError) throw error;
      throw new ToolError('ServiceError', error instanceof Error ? error.message : String(error), undefined, {
        cause: error,
      });
    }
  }

  /** A script is a job of its own on `scripts`; one that its caller names by path is packed now, when the path is known. */
  private async runScript(
    context: StepContext,
    args: JsonObject,
    { definition, digest, origin }: Target,
  ): Promise<Json> {
    const packed = definition.script ? { definition, digest } : await this.registry.define(definition.tool, args);
    await this.definitions.put([packed]);
    const { record, id } = context.work;
    const { tool } = definition;
    const call: RecordedCall = {
      toolId: tool.toolId,
      version: tool.version,
      kind: tool.kind,
      digest: packed.digest,
      arguments: args,
    };
    const child = { ...record, calls: [call], parent: { invocationId: id, step: context.index } };
    const outcome = await runChild(this.queues, this.wakeups, child, context.signal, origin?.key);
    return outcome.result ?? null;
  }
}
