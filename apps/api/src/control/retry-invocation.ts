import { ToolError, type AgentLimits, type Definition, type JsonObject, type Problem } from '@errand/contracts';
import { checkTemplates, stepsReferredTo, validateTemplatedArguments } from '@errand/protocol';
import {
  Definitions,
  freshInvocation,
  copyPreviousRun,
  extendAttachments,
  noteRetry,
  Queues,
  readCallback,
  readOptions,
  readPreviousRun,
  submitInvocations,
  type InvocationRecord,
  type RecordedCall,
  type StoredInvocation,
} from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import { chooseQueue, type DefinedCall } from '../submit/choose-queue.js';
import { findInvocation } from '../http/find-invocation.js';
import { ProblemError } from '../http/problem-error.js';
import type { RequestScope } from '../http/request-scope.js';
import type { RetryRequest } from '../http/control-requests.js';
import { ApiLogger } from '../api-tokens.js';
import { knownArguments } from '../submit/prepare-invocation.js';
import { assignId, readEarlierInvocation, type AssignedId, type OnBeforeEnqueue } from '../submit/assign-id.js';
import { keepFinishedSteps } from './repair/keep-steps.js';
import { MAX_PROBLEMS, readChanges, type Changes } from './repair/read-changes.js';
import { readLimits } from './repair/read-limits.js';
import { requireFailed, requireTurn } from './repair/require-repairable.js';

/** The sender of a retry request. */
interface RepairCaller {
  scope: RequestScope;
  idempotencyKey?: string;
}

/** A checked request for a repair of the invocation `failed`. */
interface RequestedRepair {
  failed: StoredInvocation;
  defined: readonly DefinedCall[];
  changes: Changes;
  steps: JsonObject;
  limits: Partial<AgentLimits> | undefined;
}

/**
 * Makes a new invocation that continues a failed or cancelled one. Finished steps and nodes keep their results, and all calls keep the
 * definitions with which they were accepted.
 */
@Injectable()
export class RetryInvocation {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly logger: ApiLogger,
  ) {}

  /**
   * Returns the accepted invocation, or the invocation of an earlier request with the same key.
   * @param request `steps` `{<step or node>: {inputs}}` replaces these inputs; the others stay. `limits` replaces limits of turns
   * @throws ProblemError that says what is wrong, where, and how to fix it
   */
  async retry(
    id: string,
    { steps = {}, limits: givenLimits }: RetryRequest,
    caller: RepairCaller,
    onBeforeEnqueue?: OnBeforeEnqueue,
  ): Promise<StoredInvocation> {
    const limits = readLimits(givenLimits);
    const failed = await findInvocation(this.queues, caller.scope.reach, id);
    requireFailed(failed);
    if (limits) requireTurn(failed);
    const known = await Promise.all(
      failed.record.calls.map(async (call) => ({ call, definition: await this.definitionOf(call.digest) })),
    );
    const changes = readChanges(
      steps,
      known.map(({ definition }) => definition),
      this.registry.nodeTypes,
    );
    const defined = await this.change(known, changes);
    // The repair belongs to the tenant of the failed invocation, also if the operator asks for it.
    const { tenant, session } = failed.record;
    const { idempotencyKey } = caller;
    const assigned = await assignId(this.queues, {
      tenant,
      session,
      idempotencyKey,
      body: { retryOf: id, steps, ...(limits && { limits }) },
    });
    onBeforeEnqueue?.(assigned.id);
    const earlier = await readEarlierInvocation(this.queues, tenant, assigned);
    const retry = earlier ?? (await this.enqueue({ failed, defined, changes, steps, limits }, assigned));
    // Also for a request that comes again, because its process may have died before this. The retry is accepted, so that a failure must not
    // refuse it: the caller would ask for another one.
    await noteRetry(this.queues, id, retry.id).catch((err: unknown) =>
      this.logger.warn({ err, invocationId: retry.id, retryOf: id }, 'the retried invocation does not name its retry'),
    );
    return retry;
  }

  private async enqueue(repair: RequestedRepair, { id, claim }: AssignedId): Promise<StoredInvocation> {
    const { failed, defined, changes, steps, limits } = repair;
    const { tenant, mode, session } = failed.record;
    const needs = defined.map(({ call }, index) =>
      mode === 'sequence' ? [...Array(index).keys()] : stepsReferredTo(call.arguments),
    );
    const definitions = defined.map(({ definition }) => definition);
    const [previousRun, options, callback] = await Promise.all([
      readPreviousRun(this.queues, failed.id),
      readOptions(this.queues, tenant, failed.id),
      readCallback(this.queues, failed.id),
      this.definitions.put(defined.map(({ call: { digest }, definition }) => ({ digest, definition }))),
    ]);
    await copyPreviousRun(this.queues, id, keepFinishedSteps(previousRun, { definitions, changes, needs, limits }));
    await extendAttachments(this.queues, failed.record);
    const record = repairOf(repair);
    const queue = chooseQueue(defined, session);
    const [accepted] = await submitInvocations(this.queues, [{ queue, id, record, options, callback, claim }]);
    if (accepted instanceof Error) throw accepted;
    this.logger.info({ invocationId: id, tenant, retryOf: failed.id, changed: Object.keys(steps) }, 'accepted');
    return freshInvocation(accepted!);
  }

  private async definitionOf(digest: string): Promise<Definition> {
    return this.definitions.get(digest).catch((error: unknown) => {
      if (error instanceof ToolError) throw new ProblemError('conflict', error.message);
      throw error;
    });
  }

  /** Changes the arguments of the calls, and checks them like those of a submission. */
  private async change(known: readonly DefinedCall[], changes: Changes): Promise<DefinedCall[]> {
    const problems: Problem[] = [];
    const defined = known.map(({ call, definition }, index) => {
      const inputs = changes.steps.get(index);
      if (!inputs) return { call, definition };
      const given = { ...call.arguments, ...inputs };
      const checked = validateTemplatedArguments(this.registry.toolLookup(), definition.tool, given);
      const at = `/steps/${changes.keyOf(index)}/inputs`;
      problems.push(...checked.problems.map((problem) => ({ ...problem, path: at + problem.path })));
      return { call: { ...call, arguments: checked.arguments }, definition };
    });
    const { problems: templates } = checkTemplates(
      defined.map(({ call }) => call),
      defined.map(({ definition }) => definition.tool.output),
    );
    for (const { call, path, message } of templates) {
      if (changes.steps.has(call)) problems.push({ path: `/steps/${changes.keyOf(call)}/inputs${path}`, message });
    }
    if (problems.length > 0) throw wrongArguments(problems.slice(0, MAX_PROBLEMS));
    const keyOf = (index: number) => (changes.steps.has(index) ? changes.keyOf(index) : undefined);
    return Promise.all(defined.map((each, index) => this.redefine(each, keyOf(index))));
  }

  /**
   * Changed arguments may name another script.
   * @param key the key of the step in the request; undefined for unchanged arguments
   * @throws ProblemError invalid_parameters if the script is missing or cannot be packed
   */
  private async redefine({ call, definition }: DefinedCall, key: string | undefined): Promise<DefinedCall> {
    if (key === undefined || definition.tool.implementation.type !== 'caller-script') return { call, definition };
    const defining = this.registry.define(definition.tool, knownArguments(call.arguments));
    const redefined = await defining.catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
      throw wrongArguments([{ path: `/steps/${key}/inputs/scriptPath`, message: error.message }]);
    });
    return { call: { ...call, digest: redefined.digest }, definition: redefined.definition };
  }
}

function wrongArguments(errors: readonly Problem[]): ProblemError {
  return new ProblemError('invalid_parameters', errors.map(({ message }) => message).join('; '), { errors });
}

function repairOf({ failed, defined, changes, steps, limits }: RequestedRepair): InvocationRecord {
  // The repair has neither the idempotency key nor the batch of the failed invocation.
  const { replacedInputs: earlier = {}, idempotency: _, batch: __, ...rest } = failed.record;
  const replaced = new Map(Object.entries(earlier).map(([step, inputs]) => [Number(step), inputs]));
  for (const [step, inputs] of changes.nodes)
    replaced.set(step, { ...replaced.get(step), ...Object.fromEntries(inputs) });
  const calls: RecordedCall[] = defined.map(({ call }) => call);
  const changed = steps as NonNullable<NonNullable<InvocationRecord['retryOf']>['steps']>;
  return {
    ...rest,
    calls,
    retryOf: { invocationId: failed.id, ...(Object.keys(steps).length > 0 && { steps: changed }) },
    ...(replaced.size > 0 && { replacedInputs: Object.fromEntries(replaced) }),
    ...(calls.some(({ kind }) => kind === 'agent') && { firstTurn: rest.firstTurn ?? failed.id }),
    ...(limits && { limits: { ...rest.limits, ...limits } }),
  };
}
