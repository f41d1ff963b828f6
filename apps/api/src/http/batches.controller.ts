import { isBatchId, isObject, type Batch } from '@errand/contracts';
import { Queues, readBatch, type StoredBatch } from '@errand/queue';
import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { InvocationWatcher } from '../stream/wait-for-invocation.js';
import type { EndsWait } from '../stream/wait-for-ends.js';
import { SubmitBatch } from '../submit/submit-batch.js';
import { onDisconnect } from './accepted-response.js';
import { BatchResponder } from './batch-response.js';
import { ReadQuery } from './control-requests.js';
import type { PlainReply } from './plain-reply.js';
import { Scope } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { MAX_WAIT_SECONDS, preferredWait, waitSeconds } from './read-parameter.js';
import { RequestPipe } from './request-pipe.js';
import type { RequestScope } from './request-scope.js';
import { BatchItemRequest, BatchRequest } from './submission-requests.js';
import { TakesNoQuery } from './takes-no-query.js';

/** Submits and reads batches. */
@Controller('v1')
export class BatchesController {
  private readonly itemPipe = new RequestPipe();

  constructor(
    private readonly submitBatch: SubmitBatch,
    private readonly responder: BatchResponder,
    private readonly watcher: InvocationWatcher,
    private readonly queues: Queues,
  ) {}

  @Post('invocations/batch')
  @UseGuards(TakesNoQuery)
  @HttpCode(HttpStatus.OK)
  async submit(
    @Scope() scope: RequestScope,
    @Body() body: BatchRequest,
    @Headers('prefer') prefer: string | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Headers('traceparent') trace: string | undefined,
    @Res() reply: PlainReply,
  ): Promise<void> {
    const seconds = waitSeconds(preferredWait(prefer), MAX_WAIT_SECONDS);
    const items = body.items.map((item) => this.checkItem(item));
    const batch = { items, body, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    const submitter = { tenant: scope.tenant, ...(trace !== undefined && { trace }) };
    let wait: EndsWait | undefined;
    try {
      const submitted = await this.submitBatch.submit(batch, submitter, (ids) => {
        if (seconds > 0) wait = this.watcher.openEndsWait(ids, seconds * 1_000, onDisconnect(reply));
      });
      await wait?.untilEnded(() => this.readOpen(scope, submitted.id));
      if (wait) void reply.header('preference-applied', `wait=${seconds}`);
      const json = await this.responder.toJson(submitted, scope, wait !== undefined);
      void reply
        .header('content-type', 'application/json; charset=utf-8')
        .header('location', `/v1/batches/${submitted.id}`)
        .send(json);
    } finally {
      wait?.close();
    }
  }

  @Get('batches/:id')
  async read(
    @Scope() scope: RequestScope,
    @Param('id') id: string,
    @Query() { wait: asked }: ReadQuery,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Batch> {
    const preferred = preferredWait(prefer);
    const seconds = waitSeconds(asked ?? preferred, MAX_WAIT_SECONDS);
    const found = await this.find(scope, id);
    if (seconds === 0) return toBatch(found, scope);
    if (asked === undefined) void reply.header('preference-applied', `wait=${seconds}`);
    const wait = this.watcher.openEndsWait(found.open, seconds * 1_000, onDisconnect(reply));
    try {
      await wait.untilEnded(() => this.readOpen(scope, id));
      return toBatch(await this.find(scope, id), scope);
    } finally {
      wait.close();
    }
  }

  private async find({ reach }: RequestScope, id: string): Promise<StoredBatch> {
    const found = isBatchId(id) ? await readBatch(this.queues, reach, id) : undefined;
    if (found) return found;
    throw new ProblemError('not_found', `There is no batch ${id.slice(0, 80)}; it is kept as long as its invocations`);
  }

  private async readOpen({ reach }: RequestScope, id: string): Promise<readonly string[]> {
    return (await readBatch(this.queues, reach, id))?.open ?? [];
  }

  private checkItem(item: unknown): BatchItemRequest | ProblemError {
    if (!isObject(item))
      return new ProblemError('invalid_request', 'An item must be a JSON object, like the body of a single submission');
    try {
      return this.itemPipe.transform(item, { type: 'body', metatype: BatchItemRequest }) as BatchItemRequest;
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
  }
}

function toBatch({ id, tenant, createdAt, counts }: StoredBatch, { showsTenant }: RequestScope): Batch {
  return {
    id,
    createdAt,
    counts,
    links: { self: `/v1/batches/${id}`, invocations: `/v1/invocations?batch=${id}` },
    ...(showsTenant && { tenant }),
  };
}
