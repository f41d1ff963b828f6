import { isFinal, ToolError, type Definition, type JsonObject, type Problem } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import { checkTemplates, stepsReferredTo, validateArguments } from '@errand/protocol';
import {
  Definitions,
  freshInvocation,
  copyPreviousRun,
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
import { chooseQueue, type Packed } from '../submit/choose-queue.js';
import { findInvocation } from '../http/find-invocation.js';
import { ProblemError } from '../http/problem-error.js';
import { knownArguments } from '../submit/prepare-invocation.js';
import { nameInvocation, readEarlier, type Named, type Submission } from '../submit/assign-id.js';
import { carryOver } from './repair/carry-over.js';
import { readChanges, type Changes } from './repair/read-changes.js';

/** Who asks for a repair, and under which key. */
export interface RepairCaller {
  tenant: string;
  idempotencyKey?: string;
}

/** A repair that was found good. */
interface Repair {
  failed: StoredInvocation;
  packed: readonly Packed[];
  changes: Changes;
  steps: JsonObject;
}

/** Goes on from an invocation that failed or was cancelled, in a new one: what succeeded holds, by the definitions of then. */
export class RetryInvocation {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly logger: Logger,
  ) {}

  /**
   * @param steps `{<step or node>: {inputs}}`: inputs that take the place of those that were; the others stay
   * @throws ProblemError that says what is wrong, where, and how to mend it
   */
  async prepare(id: string, steps: JsonObject, caller: RepairCaller): Promise<Submission> {
    const failed = await findInvocation(this.queues, caller.tenant, id);
    requireFailed(failed);
    const known = await Promise.all(failed.record.calls.map(({ digest }) => this.definitionOf(digest)));
    const changes = readChanges(steps, known, this.registry.nodeTypes);
    const packed = await this.change(failed.record, known, changes);
    const named = await nameInvocation(this.queues, { ...caller, body: { retryOf: id, steps } });
    return { id: named.id, enqueue: () => this.enqueue({ failed, packed, changes, steps }, named) };
  }

  private async enqueue({ failed, packed, changes, steps }: Repair, named: Named): Promise<StoredInvocation> {
    const { tenant, mode, session } = failed.record;
    const known = await readEarlier(this.queues, tenant, named);
    if (known) return known;
    const needs = packed.map(({ call }, index) =>
      mode === 'sequence' ? [...Array(index).keys()] : stepsReferredTo(call.arguments),
    );
    const definitions = packed.map(({ definition }) => definition);
    const [previousRun, options, callback] = await Promise.all([
      readPreviousRun(this.queues, failed.id),
      readOptions(this.queues, tenant, failed.id),
      readCallback(this.queues, failed.id),
      this.definitions.put(packed.map(({ call: { digest }, definition }) => ({ digest, definition }))),
    ]);
    const { id, hold } = named;
    await copyPreviousRun(this.queues, id, carryOver(previousRun, { definitions, changes, needs }));
    const record = repairOf(failed, packed, changes, steps);
    const queue = chooseQueue(packed, session);
    const [fresh] = await submitInvocations(this.queues, [{ queue, id, record, options, callback, hold }]);
    if (fresh instanceof Error) throw fresh;
    this.logger.info({ invocationId: id, tenant, retryOf: failed.id, changed: Object.keys(steps) }, 'accepted');
    return freshInvocation(fresh!);
  }

  private async definitionOf(digest: string): Promise<Definition> {
    return this.definitions.get(digest).catch((error: unknown) => {
      if (error instanceof ToolError) throw new ProblemError('conflict', error.message);
      throw error;
    });
  }

  /** The calls with their changed arguments, checked as those of a submission are. */
  private async change(
    { calls }: InvocationRecord,
    definitions: readonly Definition[],
    changes: Changes,
  ): Promise<Packed[]> {
    const problems: Problem[] = [];
    const packed = calls.map((call, index) => {
      const definition = definitions[index]!;
      const inputs = changes.steps.get(index);
      if (!inputs) return { call, definition };
      const given = { ...call.arguments, ...inputs };
      const checked = validateArguments(this.registry.toolLookup(), definition.tool, given);
      const at = `/steps/${changes.keyOf(index)}/inputs`;
      problems.push(...checked.problems.map((problem) => ({ ...problem, path: at + problem.path })));
      return { call: { ...call, arguments: checked.arguments }, definition };
    });
    const outputs = definitions.map(({ tool }) => tool.output);
    const { problems: templates } = checkTemplates(
      packed.map(({ call }) => call),
      outputs,
    );
    for (const { call, path, message } of templates) {
      if (changes.steps.has(call)) problems.push({ path: `/steps/${changes.keyOf(call)}/inputs${path}`, message });
    }
    if (problems.length > 0) {
      const said = problems.map(({ message }) => message).join('; ');
      throw new ProblemError('invalid_parameters', said, { errors: problems });
    }
    return Promise.all(packed.map(async (each, index) => (changes.steps.has(index) ? this.repack(each) : each)));
  }

  /** Arguments may name the script that runs. */
  private async repack({ call, definition }: Packed): Promise<Packed> {
    if (definition.tool.implementation.type !== 'caller-script') return { call, definition };
    const { digest, definition: named } = await this.registry.define(definition.tool, knownArguments(call.arguments));
    return { call: { ...call, digest }, definition: named };
  }
}

function requireFailed({ status }: StoredInvocation): void {
  if (status === 'failed' || status === 'cancelled') return;
  const why = isFinal(status) ? 'it succeeded, and there is nothing to repair' : `it is ${status}; cancel it first`;
  throw new ProblemError('conflict', `Only an invocation that failed or was cancelled can be retried: ${why}`);
}

function repairOf(
  { id, record }: StoredInvocation,
  packed: readonly Packed[],
  { nodes }: Changes,
  steps: JsonObject,
): InvocationRecord {
  // A key that the other one was asked for under is not this one's.
  const { replacedInputs: earlier = {}, idempotency: _, ...rest } = record;
  const replaced = new Map(Object.entries(earlier).map(([step, inputs]) => [Number(step), inputs]));
  for (const [step, inputs] of nodes) replaced.set(step, { ...replaced.get(step), ...Object.fromEntries(inputs) });
  const calls: RecordedCall[] = packed.map(({ call }) => call);
  const changed = steps as NonNullable<NonNullable<InvocationRecord['retryOf']>['steps']>;
  return {
    ...rest,
    calls,
    retryOf: { invocationId: id, ...(Object.keys(steps).length > 0 && { steps: changed }) },
    ...(replaced.size > 0 && { replacedInputs: Object.fromEntries(replaced) }),
  };
}
