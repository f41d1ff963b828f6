import { isInvocationId, type Answer } from '@errand/contracts';
import { cancelInvocation, Queues } from '@errand/queue';
import { Body, Controller, Headers, HttpCode, HttpStatus, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnswerInvocation } from './to-response.js';
import { RetryInvocation } from '../control/retry-invocation.js';
import { CompleteStep } from '../control/complete-step.js';
import { findInvocation, notFound } from './find-invocation.js';
import { Tenant } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';
import { SendAccepted } from './accepted-response.js';
import { AnswerRequest, RetryRequest } from './control-requests.js';

/** What can be done to an invocation that was accepted. */
@Controller('v1/invocations/:id')
export class ControlController {
  constructor(
    private readonly completeStep: CompleteStep,
    private readonly retryInvocation: RetryInvocation,
    private readonly accepted: SendAccepted,
    private readonly answer: AnswerInvocation,
    private readonly queues: Queues,
  ) {}

  /** It ends as cancelled: at once where nobody runs it, else when all that runs for it has been stopped. */
  @Post('cancel')
  @HttpCode(HttpStatus.ACCEPTED)
  async cancel(@Tenant() tenant: string, @Param('id') id: string) {
    const done = isInvocationId(id) ? await cancelInvocation(this.queues, tenant, id) : undefined;
    if (done === undefined) return notFound(id);
    const invocation = await findInvocation(this.queues, tenant, id);
    if (done === 'ended')
      throw new ProblemError('not_cancellable', `The invocation has ended already: it is ${invocation.status}`);
    return this.answer.of(invocation);
  }

  /** A new invocation that goes on from one that failed or was cancelled. */
  @Post('retry')
  async retry(
    @Tenant() tenant: string,
    @Param('id') id: string,
    @Body() body: RetryRequest,
    @Headers('prefer') prefer: string | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = { tenant, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    const repair = await this.retryInvocation.prepare(id, body.steps ?? {}, caller);
    await this.accepted.send(reply, { tenant, prefer }, repair);
  }

  /** What an external tool, or a node that waits for somebody, was answered. */
  @Post('steps/:step/result')
  @HttpCode(HttpStatus.ACCEPTED)
  async result(
    @Tenant() tenant: string,
    @Param('id') id: string,
    @Param('step') step: string,
    @Body() body: AnswerRequest,
  ) {
    const { nodeId } = body;
    const index = wholeNumber('The number of the step', step, 0);
    const given = { tenant, id, index, answer: answerOf(body), ...(nodeId !== undefined && { nodeId }) };
    return this.answer.of(await this.completeStep.take(given));
  }
}

function answerOf({ result, error }: AnswerRequest): Answer {
  if (result !== undefined && error === undefined) return { result };
  if (error !== undefined && result === undefined) return { error };
  throw new ProblemError('invalid_request', 'Give one of: `result`; `error` {message}');
}
