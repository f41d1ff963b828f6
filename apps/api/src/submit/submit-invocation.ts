import type { Logger } from '@errand/platform';
import { freshInvocation, Queues, submitInvocations, type StoredInvocation } from '@errand/queue';
import type { SubmitRequest } from '../http/submission-requests.js';
import { nameInvocation, readEarlier, type Named, type Submission } from './assign-id.js';
import { PrepareSubmission, type Caller, type NoAction, type Prepared } from './prepare-invocation.js';

/** Text or JSON in, an invocation in a queue out. */
export class SubmitInvocation {
  constructor(
    private readonly preparing: PrepareSubmission,
    private readonly queues: Queues,
    private readonly logger: Logger,
  ) {}

  /**
   * `no_action` where a text calls nothing.
   * @throws ProblemError that says what is wrong, where, and how to mend it
   */
  async prepare(body: SubmitRequest, caller: Caller & { idempotencyKey?: string }): Promise<Submission | NoAction> {
    const prepared = await this.preparing.prepare(body, caller);
    if ('status' in prepared) return prepared;
    const named = await nameInvocation(this.queues, { ...caller, body });
    return { id: named.id, enqueue: () => this.enqueue(prepared, named) };
  }

  private async enqueue(prepared: Prepared, named: Named): Promise<StoredInvocation> {
    const { tenant, calls, agent } = prepared.record;
    const { id, claim } = named;
    const known = await readEarlier(this.queues, tenant, named);
    if (known) return known;
    const [fresh] = await submitInvocations(this.queues, [{ ...prepared, id, claim }]);
    if (fresh instanceof Error) throw fresh;
    this.logger.info({ invocationId: id, tenant, tools: calls.map((call) => call.toolId), agent }, 'accepted');
    return freshInvocation(fresh!);
  }
}
