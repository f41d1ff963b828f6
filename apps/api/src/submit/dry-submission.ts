import type { DryRunOutcome } from '@errand/contracts';
import { showLiterals } from '@errand/protocol';
import { estimateEnd, Queues } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import type { SubmitRequest } from '../http/submission-requests.js';
import { chooseQueue } from './choose-queue.js';
import { PrepareInvocation, type Submitter } from './prepare-invocation.js';

/** Says what a submission would run. It stores nothing, and keeps no refusal. */
@Injectable()
export class DrySubmission {
  constructor(
    private readonly preparing: PrepareInvocation,
    private readonly queues: Queues,
  ) {}

  /** @throws ProblemError as the submission would */
  async run(request: SubmitRequest, submitter: Submitter): Promise<DryRunOutcome> {
    const { understood, defined } = await this.preparing.check(request, submitter);
    const warnings = understood.warnings ?? [];
    if (defined.length === 0) return { calls: [], warnings, queue: null, etaMs: null };
    const queue = chooseQueue(defined, request.session);
    const calls = defined.map(({ call: { toolId, version, arguments: args } }) => ({
      toolId,
      version,
      arguments: showLiterals(args),
    }));
    const name = defined.map(({ call }) => call.toolId).join(' → ');
    const etaMs = await estimateEnd(this.queues, queue, name, request.options?.delayMs ?? 0);
    return { calls, warnings, queue, etaMs };
  }
}
