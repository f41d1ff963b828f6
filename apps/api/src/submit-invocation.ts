import { newInvocationId, ToolError, type Call, type Json, type ToolInterface } from '@errand/contracts';
import { checkTemplates, containsTemplate, observeProblems, parse, type ParseResult } from '@errand/protocol';
import { Definitions, claimIdempotencyKey, Queues, submitInvocation, type InvocationRecord, type QueueName } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import { ProblemError } from './http/problem-error.js';
import type { SubmitRequest } from './http/requests.js';
import { resolveCalls } from './resolve-calls.js';

/** What became of a submission: accepted under an id, or a text in which nothing was called. */
export type Submitted = { id: string } | { status: 'no_action'; responseText: string; calls: [] };

export interface Caller {
  tenant: string;
  idempotencyKey?: string;
  trace?: string;
}

interface Accepted {
  calls: { tool: ToolInterface; arguments: Call['arguments'] }[];
  responseText?: string;
}

/** Text or JSON in; an invocation in a queue out. All or nothing: one bad call and nothing is enqueued. */
@Injectable()
export class SubmitInvocation {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
  ) {}

  /** @throws ProblemError saying what is wrong, where, and how to mend it */
  async run(request: SubmitRequest, caller: Caller): Promise<Submitted> {
    requireOneForm(request);
    const accepted = request.text === undefined ? this.acceptJson(request) : this.acceptText(request.text, request);
    if (accepted.calls.length === 0) return { status: 'no_action', responseText: accepted.responseText ?? '', calls: [] };
    const { queue, record } = await this.pack(accepted, request, caller);
    const id = await this.claimId(request, caller);
    await submitInvocation(this.queues, queue, id, record, request.options);
    return { id };
  }
}
