import type { Invocation } from '@errand/contracts';
import { Queues, readInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import type { BatchOutcome, SubmittedBatch } from '../submit/submit-batch.js';
import { acceptedJson } from './accepted-json.js';
import { toProblem } from './problem.filter.js';
import type { RequestScope } from './request-scope.js';
import { toResponse } from './to-response.js';

/** The number of invocations that are read at the same time. */
const READ_AT_ONCE = 25;
/** Items after this many characters come without their results, so that a response fits into memory. */
const MAX_CHARACTERS = 8_000_000;

/** The response to the submission of a batch. */
@Injectable()
export class BatchResponder {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
  ) {}

  /** @param isRead read each invocation again: the request has waited for their ends */
  async toJson({ id, outcomes }: SubmittedBatch, scope: RequestScope, isRead: boolean): Promise<Buffer> {
    const items: string[] = [];
    let characters = 0;
    for (let from = 0; from < outcomes.length; from += READ_AT_ONCE) {
      const some = outcomes.slice(from, from + READ_AT_ONCE);
      const current = isRead ? await Promise.all(some.map((outcome) => this.readAgain(outcome, scope))) : some;
      for (const outcome of current) {
        const json = this.itemJson(outcome, scope, isRead && characters > MAX_CHARACTERS);
        characters += json.length;
        items.push(json);
      }
    }
    const tenant = scope.showsTenant ? `,"tenant":${JSON.stringify(scope.tenant)}` : '';
    return Buffer.from(`{"id":"${id}","items":[${items.join(',')}]${tenant}}`);
  }

  private async readAgain(outcome: BatchOutcome, { tenant }: RequestScope): Promise<BatchOutcome> {
    if (outcome instanceof Error || !('id' in outcome)) return outcome;
    return (await readInvocation(this.queues, tenant, outcome.id)) ?? outcome;
  }

  private itemJson(outcome: BatchOutcome, scope: RequestScope, isShort: boolean): string {
    if (outcome instanceof Error) return JSON.stringify(toProblem(outcome).body);
    if ('at' in outcome) return acceptedJson(outcome, scope);
    if (!('record' in outcome)) return JSON.stringify(outcome);
    const response = toResponse(this.registry, outcome, scope);
    return JSON.stringify(isShort ? withoutResults(response) : response);
  }
}

/** An invocation whose results are read by `links.result`. */
function withoutResults(invocation: Invocation): Invocation {
  const steps = invocation.steps.map(({ result: _, nodes: __, ...step }) => step);
  const hasResult = invocation.status === 'succeeded';
  return {
    ...invocation,
    steps,
    calls: steps,
    result: null,
    observation: null,
    ...(hasResult && { resultTruncated: true as const }),
  };
}
