import { isInvocationId, isObject, type Invocation } from '@errand/contracts';
import { explainWait, listInvocations, Queues, readEvents, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Body, Controller, Get, Header, Headers, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { parseCursor, START } from '../stream/event-cursor.js';
import { sendEventStream } from '../stream/send-event-stream.js';
import { InvocationWatcher } from '../stream/wait-for-invocation.js';
import { SubmitBatch, type BatchOutcome } from '../submit/submit-batch.js';
import { SubmitInvocation } from '../submit/submit-invocation.js';
import { acceptedJson } from './accepted-json.js';
import { AcceptedResponder, onDisconnect } from './accepted-response.js';
import { LogsQuery, ReadQuery } from './control-requests.js';
import { findInvocation, notFound } from './find-invocation.js';
import { Tenant } from './guard-access.js';
import type { Page } from './page-of.js';
import { ProblemError } from './problem-error.js';
import { toProblem } from './problem.filter.js';
import { readListQuery, toCursor } from './read-list-query.js';
import { MAX_WAIT_SECONDS, waitSeconds, wholeNumber } from './read-parameter.js';
import { RequestPipe } from './request-pipe.js';
import { BatchItemRequest, BatchRequest, SubmitRequest } from './submission-requests.js';
import { toResponse } from './to-response.js';

/** Submits, lists, reads and follows invocations. */
@Controller('v1/invocations')
export class InvocationsController {
  private readonly itemPipe = new RequestPipe();

  constructor(
    private readonly submitInvocation: SubmitInvocation,
    private readonly submitBatch: SubmitBatch,
    private readonly responder: AcceptedResponder,
    private readonly watcher: InvocationWatcher,
    private readonly registry: Registry,
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
    const submitter = {
      tenant,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(trace !== undefined && { trace }),
    };
    const response = this.responder.open(reply, tenant, prefer);
    try {
      const accepted = await this.submitInvocation.submit(body, submitter, response.onBeforeEnqueue);
      if (accepted.status === 'no_action') return void reply.status(HttpStatus.OK).send(accepted);
      await response.send(accepted);
    } finally {
      response.close();
    }
  }

  @Post('batch')
  @HttpCode(HttpStatus.OK)
  @Header('content-type', 'application/json; charset=utf-8')
  async submitMany(
    @Tenant() tenant: string,
    @Body() body: BatchRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Headers('traceparent') trace: string | undefined,
  ): Promise<Buffer> {
    const items = body.items.map((item) => this.checkItem(item));
    const batch = { items, body, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    const outcomes = await this.submitBatch.submit(batch, { tenant, ...(trace !== undefined && { trace }) });
    return Buffer.from(`{"items":[${outcomes.map((outcome) => this.outcomeJson(outcome)).join(',')}]}`);
  }

  /** Lists invocations, newest first, without observations and without the nodes of steps. */
  @Get()
  async list(@Tenant() tenant: string, @Query() query: Record<string, unknown>): Promise<Page<Invocation>> {
    const { sought, ...position } = readListQuery(query);
    const { items, next } = await listInvocations(this.queues, tenant, sought, position);
    const shown = items.map((item) => ({ ...toResponse(this.registry, item), observation: null, messages: undefined }));
    return { items: shown, nextCursor: toCursor(sought, next) };
  }

  @Get(':id')
  async read(
    @Tenant() tenant: string,
    @Param('id') id: string,
    @Query() { wait }: ReadQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const invocation = await this.waitFor(tenant, id, waitSeconds(wait, MAX_WAIT_SECONDS), reply);
    const queue = await explainWait(this.queues, invocation);
    return { ...toResponse(this.registry, invocation), ...(queue && { queue }) };
  }

  @Get(':id/events')
  async events(
    @Tenant() tenant: string,
    @Param('id') id: string,
    @Headers('last-event-id') after: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Some clients send an empty header before their first event.
    const from = after ? parseCursor(after) : START;
    if (!from) throw new ProblemError('invalid_request', 'Last-Event-ID must be an id that this stream has given');
    const { steps } = await findInvocation(this.queues, tenant, id);
    // An EventSource that gets 204 does not connect again.
    if (from.status === 'end') return void reply.status(HttpStatus.NO_CONTENT).send();
    const target = { tenant, id, alone: steps.length === 1 };
    await sendEventStream(reply, this.watcher.stream(target, from, onDisconnect(reply)));
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

  private async waitFor(tenant: string, id: string, seconds: number, reply: FastifyReply): Promise<StoredInvocation> {
    if (seconds === 0 || !isInvocationId(id)) return findInvocation(this.queues, tenant, id);
    const wait = { ms: seconds * 1_000, onDisconnect: onDisconnect(reply) };
    return (await this.watcher.waitForEnd(tenant, id, wait)) ?? notFound(id);
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

  private outcomeJson(outcome: BatchOutcome): string {
    if (outcome instanceof Error) return JSON.stringify(toProblem(outcome).body);
    if ('at' in outcome) return acceptedJson(outcome);
    return JSON.stringify('record' in outcome ? toResponse(this.registry, outcome) : outcome);
  }
}
