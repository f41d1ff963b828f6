import { isObject } from '@errand/contracts';
import { Body, Controller, Header, Headers, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { AnswerInvocation } from '../answer-invocation.js';
import { SubmitBatch, type BatchOutcome } from '../submit-batch.js';
import { writeAccepted } from '../write-accepted.js';
import { Tenant } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { toProblem } from './problem.filter.js';
import { RequestPipe } from './request-pipe.js';
import { BatchItemRequest, BatchRequest } from './submission-requests.js';

/** Many submissions in one request. */
@Controller('v1/invocations/batch')
export class BatchController {
  private readonly pipe = new RequestPipe();

  constructor(
    private readonly submitBatch: SubmitBatch,
    private readonly answer: AnswerInvocation,
  ) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @Header('content-type', 'application/json; charset=utf-8')
  async submit(
    @Tenant() tenant: string,
    @Body() body: BatchRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Headers('traceparent') trace: string | undefined,
  ): Promise<Buffer> {
    const items = body.items.map((item) => this.check(item));
    const batch = { items, body, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    const outcomes = await this.submitBatch.submit(batch, { tenant, ...(trace !== undefined && { trace }) });
    return Buffer.from(`{"items":[${outcomes.map((outcome) => this.write(outcome)).join(',')}]}`);
  }

  private check(item: unknown): BatchItemRequest | ProblemError {
    if (!isObject(item))
      return new ProblemError(
        'invalid_request',
        'An item must be a JSON object: a submission as it would be sent alone',
      );
    try {
      return this.pipe.transform(item, { type: 'body', metatype: BatchItemRequest }) as BatchItemRequest;
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
  }

  private write(outcome: BatchOutcome): string {
    if (outcome instanceof Error) return JSON.stringify(toProblem(outcome).body);
    if ('at' in outcome) return writeAccepted(outcome);
    return JSON.stringify('record' in outcome ? this.answer.of(outcome) : outcome);
  }
}
