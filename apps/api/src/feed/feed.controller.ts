import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onDisconnect } from '../http/accepted-response.js';
import { Scope } from '../http/guard-access.js';
import type { RequestScope } from '../http/request-scope.js';
import { requireScope } from '../login/require-scope.js';
import { sendStream } from '../stream/send-event-stream.js';
import { Feeds } from './feeds.js';
import { readFeedQuery } from './read-feed-query.js';

/** One stream of everything that changes for a tenant. */
@Controller('v1/events')
export class FeedController {
  constructor(private readonly feeds: Feeds) {}

  @Get()
  async events(
    @Scope() scope: RequestScope,
    @Req() { caller }: FastifyRequest,
    @Query() parameters: Record<string, unknown>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireScope(caller, 'read');
    const query = readFeedQuery(parameters);
    // Some clients send an empty header before their first event.
    const request = { scope, query, lastEventId: lastEventId === '' ? undefined : lastEventId };
    const texts = await this.feeds.stream(request, onDisconnect(reply));
    await sendStream(reply, texts, 'text/event-stream; charset=utf-8');
  }
}
