import type { Json, JsonObject, Tool } from '@errand/contracts';
import { claimEffect, keepEffect, Queues, type Effect, type StepReference } from '@errand/queue';
import { AwaitInvocation } from './await-invocation.js';
import type { StepContext } from './step-context.js';

/** What a call gave; `from`: it did not run, for the same call had run there. */
export interface Ran {
  result: Json;
  from?: StepReference;
}

/**
 * Models repeat themselves: the same call of one session comes again under a new id. Of a tool that is to take effect once the first
 * runs, and the others get its result, now or as soon as it is there. Where it failed, the next one runs.
 */
export class RunOnceInSession {
  constructor(
    private readonly queues: Queues,
    private readonly awaitInvocation: AwaitInvocation,
  ) {}

  /** @throws what `run` throws; Suspended while the first runs */
  async run(context: StepContext, tool: Tool, args: JsonObject, run: () => Promise<Json>): Promise<Ran> {
    const { tenant, session } = context.work.record;
    if (tool.effects !== 'once' || session === undefined) return { result: await run() };
    const effect: Effect = { tenant, session, toolId: tool.toolId, arguments: args };
    const earlier = await this.findEarlier(context, effect);
    if (earlier) return earlier;
    const result = await run();
    await keepEffect(this.queues, effect);
    return { result };
  }

  /** The result of the same call elsewhere; undefined: it is for this step to run. */
  private async findEarlier(context: StepContext, effect: Effect): Promise<Ran | undefined> {
    const own = { invocationId: context.work.id, step: context.index };
    let holder = await claimEffect(this.queues, effect, own);
    while (!isSame(holder, own)) {
      const end = await this.awaitInvocation.stepEnd(context, holder.invocationId, holder.step);
      if (end?.status === 'succeeded') return { result: end.result ?? null, from: holder };
      holder = await claimEffect(this.queues, effect, own, holder);
    }
    return undefined;
  }
}

function isSame(one: StepReference, other: StepReference): boolean {
  return one.invocationId === other.invocationId && one.step === other.step;
}
