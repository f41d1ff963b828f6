import type { Logger } from '@errand/platform';
import { freshInvocation, Queues, submitInvocations, type StoredInvocation } from '@errand/queue';
import type { SubmitRequest } from '../http/submission-requests.js';
import { assignId, readEarlierInvocation, type AssignedId, type Submission } from './assign-id.js';
import { PrepareInvocation, type Submitter, type NoAction, type PreparedInvocation } from './prepare-invocation.js';

/** Text or JSON in, an invocation in a queue out. */
export class SubmitInvocation {
  constructor(
    private readonly preparing: PrepareInvocation,
    private readonly queues: Queues,
    private readonly logger: Logger,
  ) {}

  /**
   * `no_action` where a text calls nothing.
   * @throws ProblemError that says what is wrong, where, and how to mend it
   */
  async prepare(
    body: SubmitRequest,
    submitter: Submitter & { idempotencyKey?: string },
  ): Promise<Submission | NoAction> {
    const prepared = await this.preparing.prepare(body, submitter);
    if ('status' in prepared) return prepared;
    const assigned = await assignId(this.queues, { ...submitter, body });
    return { id: assigned.id, enqueue: () => this.enqueue(prepared, assigned) };
  }

  private async enqueue(prepared: PreparedInvocation, assigned: AssignedId): Promise<StoredInvocation> {
    const { tenant, calls, agent } = prepared.record;
    const { id, hold } = assigned;
    const known = await readEarlierInvocation(this.queues, tenant, assigned);
    if (known) return known;
    const [fresh] = await submitInvocations(this.queues, [{ ...prepared, id, hold }]);
    if (fresh instanceof Error) throw fresh;
    this.logger.info({ invocationId: id, tenant, tools: calls.map((call) => call.toolId), agent }, 'accepted');
    return freshInvocation(fresh!);
  }
}
