import { isInvocationId } from '@errand/contracts';
import { cancelInvocation, Queues } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Body, Controller, Headers, HttpCode, HttpStatus, Param, Post, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { cleanReason } from '../control/clean-reason.js';
import { CompleteStep } from '../control/complete-step.js';
import { RetryInvocation } from '../control/retry-invocation.js';
import { AcceptedResponder } from './accepted-response.js';
import { answerOf, AnswerRequest, CancelRequest, RetryRequest } from './control-requests.js';
import { findInvocation, notFound } from './find-invocation.js';
import { Scope } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';
import { TakesNoQuery } from './takes-no-query.js';
import { toResponse } from './to-response.js';

/** Cancels, retries and answers invocations. */
@Controller('v1/invocations/:id')
@UseGuards(TakesNoQuery)
export class ControlController {
  constructor(
    private readonly completeStep: CompleteStep,
    private readonly retryInvocation: RetryInvocation,
    private readonly responder: AcceptedResponder,
    private readonly registry: Registry,
    private readonly queues: Queues,
  ) {}

  /** A waiting invocation ends as cancelled at once. A running one ends when everything that runs for it has stopped. */
  @Post('cancel')
  @HttpCode(HttpStatus.ACCEPTED)
  async cancel(@Scope() scope: RequestScope, @Param('id') id: string, @Body() body: CancelRequest) {
    const reason = cleanReason(body.reason);
    const outcome = isInvocationId(id) ? await cancelInvocation(this.queues, scope.reach, id, reason) : undefined;
    if (outcome === undefined) return notFound(id);
    const invocation = await findInvocation(this.queues, scope.reach, id);
    if (outcome === 'ended')
      throw new ProblemError('not_cancellable', `The invocation has ended already: it is ${invocation.status}`);
    return toResponse(this.registry, invocation, scope);
  }

  /** Makes a new invocation that continues a failed or cancelled one. */
  @Post('retry')
  async retry(
    @Scope() scope: RequestScope,
    @Param('id') id: string,
    @Body() body: RetryRequest,
    @Headers('prefer') prefer: string | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = { scope, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    const response = this.responder.open(reply, scope, prefer);
    try {
      const accepted = await this.retryInvocation.retry(id, body, caller, response.onBeforeEnqueue);
      await response.send(accepted);
    } finally {
      response.close();
    }
  }

  /** Takes the answer to an external tool, or to a node that waits for an answer. */
  @Post('steps/:step/result')
  @HttpCode(HttpStatus.ACCEPTED)
  async result(
    @Scope() scope: RequestScope,
    @Param('id') id: string,
    @Param('step') step: string,
    @Body() body: AnswerRequest,
  ) {
    const { nodeId } = body;
    const index = wholeNumber('The number of the step', step, 0);
    const given = { scope, id, index, answer: answerOf(body), ...(nodeId !== undefined && { nodeId }) };
    return toResponse(this.registry, await this.completeStep.complete(given), scope);
  }
}
