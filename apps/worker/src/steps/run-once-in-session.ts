import { Inject, Injectable } from '@nestjs/common';
import type { Json, JsonObject, Tool } from '@errand/contracts';
import { claimEffect, Queues, type Effect, type StepReference } from '@errand/queue';
import { AwaitInvocation } from './await-invocation.js';
import type { StepContext } from './step-context.js';

/** The result of a call. With `from`, the call did not run: the same call ran there before. */
export interface SessionResult {
  result: Json;
  from?: StepReference;
}

/**
 * Models repeat themselves: they make the same call in one session again, under a new id. Of such calls to a tool with `effects: once`,
 * the first runs and the others get its result, if necessary later. If the first fails, the next one runs.
 */
@Injectable()
export class RunOnceInSession {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(AwaitInvocation) private readonly awaitInvocation: AwaitInvocation,
  ) {}

  /** @throws the error of `run`; Suspended while the first call runs */
  async run(context: StepContext, tool: Tool, args: JsonObject, run: () => Promise<Json>): Promise<SessionResult> {
    const { tenant, session } = context.work.record;
    if (tool.effects !== 'once' || session === undefined) return { result: await run() };
    const effect: Effect = { tenant, session, toolId: tool.toolId, arguments: args };
    const earlier = await this.findEarlier(context, effect);
    return earlier ?? { result: await run() };
  }

  /** The result of the same call elsewhere; undefined if this step must run the call. */
  private async findEarlier(context: StepContext, effect: Effect): Promise<SessionResult | undefined> {
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
