import { isFinal, ToolError, type Json } from '@errand/contracts';
import { Queues, readInvocation, Wakeups } from '@errand/queue';

/** Waits, asleep, for the result of another invocation: what `{{job:<id>.path}}` stands for. */
export class AwaitInvocation {
  constructor(
    private readonly queues: Queues,
    private readonly wakeups: Wakeups,
  ) {}

  /** @throws ToolError ParameterValidationError where that invocation is not there or did not succeed */
  async result(tenant: string, id: string, signal: AbortSignal): Promise<Json> {
    const ended = await this.wakeups.until(id, signal, async () => {
      const found = await readInvocation(this.queues, tenant, id);
      if (!found) throw new ToolError('ParameterValidationError', `There is no invocation ${id} to take a result from`);
      return isFinal(found.status) ? found : undefined;
    });
    if (!ended) throw new ToolError('CancelledError', `The wait for ${id} was ended`);
    if (ended.status === 'succeeded') return ended.result;
    throw new ToolError(
      'ParameterValidationError',
      `Invocation ${id} ${ended.status === 'failed' ? 'failed' : 'was cancelled'}: it has no result`,
    );
  }
}
