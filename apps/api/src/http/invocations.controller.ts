import { isFinal, isInvocationId, type Invocation, type InvocationCounts } from '@errand/contracts';
import { explainWait, Queues, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Body, Controller, Get, Headers, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../login/callers.js';
import { requireScope } from '../login/require-scope.js';
import { parseCursor, START } from '../stream/event-cursor.js';
import { sendEventStream } from '../stream/send-event-stream.js';
import { InvocationWatcher } from '../stream/wait-for-invocation.js';
import { DrySubmission } from '../submit/dry-submission.js';
import { SubmitInvocation } from '../submit/submit-invocation.js';
import { AcceptedResponder, onDisconnect } from './accepted-response.js';
import { ReadInvocationQuery } from './control-requests.js';
import type { PlainReply } from './plain-reply.js';
import { Tagged } from './entity-tags.js';
import { findInvocation, notFound } from './find-invocation.js';
import { invocationJson } from './invocation-json.js';
import { By, Scope } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { readCounts, readListPage, type InvocationsPage } from './read-list-page.js';
import { MAX_WAIT_SECONDS, readBudget, waitSeconds } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';
import { SubmitQuery, SubmitRequest } from './submission-requests.js';
import { toResponse, withBudget } from './to-response.js';

/** The final response is the one that clients ask for again and again. */
const hasEnded = (invocation: unknown) => isFinal((invocation as Invocation).status);

/** Submits, lists, reads and follows invocations. */
@Controller('v1/invocations')
export class InvocationsController {
  constructor(
    private readonly submitInvocation: SubmitInvocation,
    private readonly drySubmission: DrySubmission,
    private readonly responder: AcceptedResponder,
    private readonly watcher: InvocationWatcher,
    private readonly registry: Registry,
    private readonly queues: Queues,
  ) {}

  @Post()
  async submit(
    @Scope() scope: RequestScope,
    @Body() body: SubmitRequest,
    @Headers('prefer') prefer: string | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Headers('traceparent') trace: string | undefined,
    @Res() reply: PlainReply,
    @Query() { dryRun }: SubmitQuery,
    @By() caller: Caller,
  ): Promise<void> {
    requireScope(caller, 'invoke');
    if (dryRun === 'true')
      return void reply.status(HttpStatus.OK).send(await this.drySubmission.run(body, { tenant: scope.tenant }));
    const submitter = {
      tenant: scope.tenant,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(trace !== undefined && { trace }),
    };
    const response = this.responder.open(reply, scope, prefer);
    try {
      const accepted = await this.submitInvocation.accept(body, submitter, response.onBeforeEnqueue);
      if ('status' in accepted && accepted.status === 'no_action')
        return void reply.status(HttpStatus.OK).send(accepted);
      await response.send(accepted);
    } finally {
      response.close();
    }
  }

  /** Lists invocations, newest first, or with `updatedAfter` the oldest change first. */
  @Get()
  list(@Scope() scope: RequestScope, @Query() query: Record<string, unknown>): Promise<InvocationsPage> {
    return readListPage({ queues: this.queues, registry: this.registry }, scope, query);
  }

  @Get('counts')
  counts(@Scope() scope: RequestScope, @Query() query: Record<string, unknown>): Promise<InvocationCounts> {
    return readCounts(this.queues, scope, query);
  }

  @Get(':id')
  @Tagged(hasEnded)
  async read(
    @Scope() scope: RequestScope,
    @Param('id') id: string,
    @Query() { wait, maxResultChars }: ReadInvocationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const found = await this.waitFor(scope, id, waitSeconds(wait, MAX_WAIT_SECONDS), reply);
    const invocation = withBudget(found, readBudget(maxResultChars));
    const queue = await explainWait(this.queues, invocation);
    void reply.header('content-type', 'application/json; charset=utf-8').serializer(invocationJson);
    return { ...toResponse(this.registry, invocation, scope), ...(queue && { queue }) };
  }

  @Get(':id/events')
  async events(
    @Scope() scope: RequestScope,
    @Param('id') id: string,
    @Headers('last-event-id') after: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Some clients send an empty header before their first event.
    const from = after ? parseCursor(after) : START;
    if (!from) throw new ProblemError('invalid_request', 'Last-Event-ID must be an id that this stream has given');
    const { steps } = await findInvocation(this.queues, scope.reach, id);
    // An EventSource that gets 204 does not connect again.
    if (from.status === 'end') return void reply.status(HttpStatus.NO_CONTENT).send();
    const target = { scope, id, alone: steps.length === 1 };
    await sendEventStream(reply, this.watcher.stream(target, from, onDisconnect(reply)));
  }

  private async waitFor(
    scope: RequestScope,
    id: string,
    seconds: number,
    reply: FastifyReply,
  ): Promise<StoredInvocation> {
    if (seconds === 0 || !isInvocationId(id)) return findInvocation(this.queues, scope.reach, id);
    const wait = { ms: seconds * 1_000, onDisconnect: onDisconnect(reply) };
    return (await this.watcher.waitForEnd(scope.reach, id, wait)) ?? notFound(id);
  }
}
