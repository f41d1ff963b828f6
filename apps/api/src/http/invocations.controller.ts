import { isInvocationId, type Invocation, isObject } from '@errand/contracts';
import { explainWait, Queues, readEvents, type StoredInvocation, listInvocations } from '@errand/queue';
import { Body, Controller, Get, Headers, HttpStatus, Param, Post, Query, Res, Header, HttpCode } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnswerInvocation } from './to-response.js';
import { InvocationWatcher } from '../stream/wait-for-invocation.js';
import { START, parseCursor } from '../stream/event-cursor.js';
import { SubmitInvocation } from '../submit/submit-invocation.js';
import { LogsQuery, ReadQuery } from './control-requests.js';
import { findInvocation, notFound } from './find-invocation.js';
import { Tenant } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { MAX_WAIT_SECONDS, waitSeconds, wholeNumber } from './read-parameter.js';
import { onDisconnect, SendAccepted } from './accepted-response.js';
import { SubmitRequest, BatchItemRequest, BatchRequest } from './submission-requests.js';
import { sendEventStream } from '../stream/send-event-stream.js';
import type { Page } from './page-of.js';
import { readListQuery, toCursor } from './read-list-query.js';
import { SubmitBatch, type BatchOutcome } from '../submit/submit-batch.js';
import { writeAccepted } from './accepted-json.js';
import { toProblem } from './problem.filter.js';
import { RequestPipe } from './request-pipe.js';

@Controller('v1/invocations')
export class InvocationsController {
  constructor(
    private readonly submitInvocation: SubmitInvocation,
    private readonly accepted: SendAccepted,
    private readonly follow: InvocationWatcher,
    private readonly answer: AnswerInvocation,
    private readonly queues: Queues,
  ) {}

  @Post()
  async submit(
    @Tenant() tenant: string,
    @Body() body: SubmitRequest,
    @Headers('prefer') prefer: string | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Headers('traceparent') trace: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const submission = await this.submitInvocation.prepare(body, {
      tenant,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(trace !== undefined && { trace }),
    });
    if ('status' in submission) return void reply.status(HttpStatus.OK).send(submission);
    await this.accepted.send(reply, { tenant, prefer }, submission);
  }

  @Get(':id')
  async read(
    @Tenant() tenant: string,
    @Param('id') id: string,
    @Query() { wait }: ReadQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const invocation = await this.await({ tenant, id }, waitSeconds(wait, MAX_WAIT_SECONDS), reply);
    const queue = await explainWait(this.queues, invocation);
    return { ...this.answer.of(invocation), ...(queue && { queue }) };
  }

  @Get(':id/events')
  async events(
    @Tenant() tenant: string,
    @Param('id') id: string,
    @Headers('last-event-id') after: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Some clients send an empty header where they have heard nothing yet.
    const from = after ? parseCursor(after) : START;
    if (!from) throw new ProblemError('invalid_request', 'Last-Event-ID must be an id that this stream has given');
    const { steps } = await findInvocation(this.queues, tenant, id);
    // There is no more to come: an EventSource that is told so does not ask again.
    if (from.told === 'end') return void reply.status(HttpStatus.NO_CONTENT).send();
    await sendEventStream(
      reply,
      this.follow.stream({ tenant, id, alone: steps.length === 1 }, from, onDisconnect(reply)),
    );
  }

  @Get(':id/logs')
  async logs(@Tenant() tenant: string, @Param('id') id: string, @Query() { step }: LogsQuery) {
    await findInvocation(this.queues, tenant, id);
    const wanted = step === undefined ? undefined : wholeNumber('step', step, 0);
    const events = await readEvents(this.queues, id, 0, 10_000);
    const items = events.flatMap(({ event }) =>
      event.event === 'log' && (wanted === undefined || event.step === wanted)
        ? [{ at: event.at, step: event.step, stream: event.stream, line: event.line }]
        : [],
    );
    return { items, nextCursor: null };
  }

  private async await(
    { tenant, id }: { tenant: string; id: string },
    wait: number,
    reply: FastifyReply,
  ): Promise<StoredInvocation> {
    if (wait === 0 || !isInvocationId(id)) return findInvocation(this.queues, tenant, id);
    return (await this.follow.waitForEnd(tenant, id, { ms: wait * 1_000, gone: onDisconnect(reply) })) ?? notFound(id);
  }
}

@Controller('v1/invocations')
export class ListInvocationsController {
  constructor(
    private readonly answer: AnswerInvocation,
    private readonly queues: Queues,
  ) {}

  /** What was accepted, newest first; without the words for a model, and without the nodes of steps. */
  @Get()
  async list(@Tenant() tenant: string, @Query() query: Record<string, unknown>): Promise<Page<Invocation>> {
    const { sought, ...cursor } = readListQuery(query);
    const { items, next } = await listInvocations(this.queues, tenant, sought, cursor);
    const shown = items.map((item) => ({ ...this.answer.of(item), observation: null }));
    return { items: shown, nextCursor: toCursor(sought, next) };
  }
}

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
