import {
  own,
  ToolError,
  type Definition,
  type Json,
  type JsonObject,
  type NodeState,
  type StoredWorkflow,
} from '@errand/contracts';
import { resultOf, runWorkflow, workflowOfNode, type CallOrigin, type RunOptions } from '@errand/engine';
import type { Logger } from '@errand/platform';
import { Queues, NotificationHub, type StoredDefinition } from '@errand/queue';
import { Registry } from '@errand/registry';
import { RedisJournal } from './redis-journal.js';
import type { RunComputation } from './run-computation.js';
import { actorOf, isFirstStart, logFieldsOf, type StepContext } from './step-context.js';
import { checkAnswerSchema } from './check-answer-schema.js';
import { emitEngineEvent } from './emit-engine-event.js';

/** A shorter wait stays in the process, because to suspend and resume the invocation costs more. */
const SUSPEND_AFTER_MS = 2_000;

/** The definition of the tool that a call runs, and the node that makes the call, if a node does. */
export interface Target {
  definition: Definition;
  digest: string;
  origin?: CallOrigin;
  /** The definitions of the tools that the turns of an agent may call, if a node calls the agent. */
  inventory?: readonly StoredDefinition[];
}

/** The deliberation of one round of a turn. */
export interface Deliberation {
  definition: Definition;
  digest: string;
  /** The prefix of the keys of its nodes. */
  key: string;
  inputs: JsonObject;
  /** Called with each chunk of a streamed output. */
  onOutput: (output: string, chunk: Json) => void;
}

export type CallTool = (context: StepContext, toolId: string, args: JsonObject, origin: CallOrigin) => Promise<Json>;

/** Runs nodes and workflows in the engine, and connects the engine to the journal, the events and the tools. */
export class RunWorkflowStep {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly notifications: NotificationHub,
    private readonly logger: Logger,
    private readonly computation: RunComputation,
    private readonly bounds: Pick<RunOptions, 'concurrency' | 'fetch'>,
  ) {}

  /** @throws Suspended; the error of a node */
  async run(context: StepContext, args: JsonObject, target: Target, callTool: CallTool): Promise<Json> {
    const { workflow, inputs } = this.workflowFor(target.definition, args);
    return resultOf(await runWorkflow(workflow, inputs, this.optionsFor(context, target, callTool)));
  }

  /**
   * Runs the deliberation workflow of a round, whose nodes are stored under `key`. Returns its outputs by name.
   * @throws Suspended; the error of a node
   */
  async deliberate(context: StepContext, deliberation: Deliberation, callTool: CallTool): Promise<JsonObject> {
    const { definition, digest, key, inputs, onOutput } = deliberation;
    const workflow = own(definition.workflows, definition.agent?.workflowId ?? '');
    if (!workflow) throw new ToolError('NodeError', `The definition of ${definition.tool.toolId} lacks its workflow`);
    const origin = { key, signal: context.signal, depth: 0, isRetried: false, stored: async () => {} };
    const options = this.optionsFor(context, { definition, digest, origin }, callTool);
    const emit: RunOptions['emit'] = (event) => {
      if (event.event === 'output') return onOutput(event.output, event.chunk);
      return options.emit?.(event.event === 'node' ? { ...event, state: withoutInputs(event.state) } : event);
    };
    return runWorkflow(workflow, inputs, { ...options, emit });
  }

  private workflowFor(definition: Definition, args: JsonObject): { workflow: StoredWorkflow; inputs: JsonObject } {
    const { implementation, toolId } = definition.tool;
    if (implementation.type === 'node') {
      const nodeType = this.registry.nodeTypes.get(implementation.nodeType);
      if (nodeType) return { workflow: workflowOfNode(nodeType, args), inputs: {} };
      const missing = `This worker does not have the node type ${implementation.nodeType}`;
      throw new ToolError('NodeError', `${missing}; its plugin is not deployed here`);
    }
    if (implementation.type !== 'workflow') throw new TypeError(`A ${implementation.type} is not a workflow`);
    const workflow = own(definition.workflows, implementation.workflowId);
    if (!workflow) throw new ToolError('NodeError', `The definition of ${toolId} lacks its workflow`);
    return { workflow, inputs: args };
  }

  private optionsFor(context: StepContext, { definition, origin }: Target, callTool: CallTool): RunOptions {
    const within = origin ? `${origin.key}/` : '';
    const single = definition.tool.implementation.type === 'node';
    // A call of a node can be made again in the same attempt, after the first one was suspended in place.
    const isFresh = isFirstStart(context.work) && (within === '' || isRound(within));
    const journal = new RedisJournal(this.queues, this.notifications, context, within, single, isFresh, origin?.stored);
    const replaced = origin ? undefined : context.work.record.replacedInputs?.[context.index];
    const report = (err: unknown) =>
      this.logger.warn({ ...logFieldsOf(context.work), err }, 'answers could not be read');
    return {
      nodeTypes: this.registry.nodeTypes,
      workflows: new Map(Object.entries(definition.workflows ?? {})),
      invocationId: context.work.id,
      ...actorOf(context),
      signal: context.signal,
      ...(context.deadline !== undefined && { deadline: context.deadline }),
      ...(origin && { depth: origin.depth, storedAround: origin.stored }),
      isRetried: origin?.isRetried === true || isRetriedItself(definition, context),
      journal,
      suspendAfterMs: SUSPEND_AFTER_MS,
      ...this.bounds,
      findWorkflow: async (id) => this.registry.workflows.get(id),
      callTool: (toolId, args, asker) => callTool(context, toolId, args, { ...asker, key: within + asker.key }),
      compute: (computation, signal) => this.computation.run(context.work, computation, signal),
      checkSchema: (schema, signal) => checkAnswerSchema(this.computation, context.work, schema, signal),
      onAnswer: (resume) => journal.onAnswer(resume, report),
      onAbandoned: (nodeId) => this.reportAbandoned(context, within + nodeId),
      emit: (event) => emitEngineEvent({ context, within, single }, event),
      ...(replaced && { replacedInputs: new Map(Object.entries(replaced)) }),
    };
  }

  private reportAbandoned({ work, events, index }: StepContext, nodeId: string): void {
    const line = `Node '${nodeId}' continues although it must stop; its output is discarded`;
    this.logger.warn({ ...logFieldsOf(work), nodeId }, 'a node ignores its signal');
    events.emit({ event: 'log', line, stream: 'node', step: index });
  }
}

/** The state of a node of a deliberation. Its inputs are mostly the conversation, which the session stores already. */
function withoutInputs({ inputs: _, ...state }: NodeState): NodeState {
  return state;
}

/** Whether the keys are those of a round, which begins once in each attempt. */
function isRound(within: string): boolean {
  return /^round\.\d+\/$/.test(within);
}

/** Whether the tool itself has a retry number that counts. If the caller names a number, the scripts inside use that one. */
function isRetriedItself({ tool }: Definition, { work }: StepContext): boolean {
  return tool.retry !== undefined && work.record.retry?.attempts === undefined;
}
