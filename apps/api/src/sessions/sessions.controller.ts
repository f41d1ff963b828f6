import { mergePatch } from '@errand/agents';
import { isDeeperThan, isObject, MAX_DEPTH, ToolError, type JsonObject } from '@errand/contracts';
import {
  Definitions,
  deleteSession,
  listMessages,
  Queues,
  readPrivateState,
  readSession,
  readWorldState,
  updateState,
  type StateName,
} from '@errand/queue';
import { Registry } from '@errand/registry';
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  HttpStatus,
  Param,
  Patch,
  Post,
  Query,
} from '@nestjs/common';
import { Scope } from '../http/guard-access.js';
import { ProblemError } from '../http/problem-error.js';
import { wholeNumber } from '../http/read-parameter.js';
import type { RequestScope } from '../http/request-scope.js';
import { findSession, requireActing, unknownSession } from './find-session.js';
import { readMessageCursor, toMessageCursor } from './message-cursor.js';
import { publishFromRequest } from './publish-from-request.js';
import { EventRequest, SessionMessagesQuery, SessionStateQuery } from './session-requests.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

/** The sessions of agents: their messages and states. A session of another tenant does not exist for the caller. */
@Controller('v1/sessions/:session')
export class SessionsController {
  constructor(
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly registry: Registry,
  ) {}

  @Get()
  async read(@Scope() scope: RequestScope, @Param('session') session: string) {
    const { name } = await findSession(this.queues, scope, session);
    return (await readSession(this.queues, name)) ?? unknownSession(session);
  }

  /** The messages of one agent, or of all agents in the order of writing. */
  @Get('messages')
  async messages(
    @Scope() scope: RequestScope,
    @Param('session') session: string,
    @Query() { agent, limit: wanted, cursor }: SessionMessagesQuery,
  ) {
    const limit = readLimit(wanted);
    const list = { tenant: scope.tenant, session, agent };
    const after = readMessageCursor(list, cursor);
    const found = await findSession(this.queues, scope, session);
    const agents = agent === undefined ? found.agents : [requireActing(found, agent)];
    const { items, next } = await listMessages(this.queues, found.name, { agents, after, limit });
    return {
      items: items.map(({ message, agent: author }) => ({ ...message, ...(agents.length > 1 && { agent: author }) })),
      nextCursor: toMessageCursor(list, next),
    };
  }

  @Get('state')
  async state(
    @Scope() scope: RequestScope,
    @Param('session') session: string,
    @Query() { agent }: SessionStateQuery,
  ): Promise<JsonObject> {
    const found = await findSession(this.queues, scope, session);
    if (agent === undefined) return readWorldState(this.queues, found.name);
    return readPrivateState(this.queues, { ...found.name, agent: requireActing(found, agent) });
  }

  @Patch('state')
  async patch(
    @Scope() scope: RequestScope,
    @Param('session') session: string,
    @Query() { agent }: SessionStateQuery,
    @Body() body: unknown,
  ): Promise<JsonObject> {
    const patch = requirePatch(body);
    const found = await findSession(this.queues, scope, session);
    const name: StateName = {
      ...found.name,
      ...(agent !== undefined && { agent: requireActing(found, agent) }),
    };
    return updateState(this.queues, name, (state) => mergePatch(state, patch)).catch(refuseState);
  }

  /** Begins a turn of each agent whose triggers match. */
  @Post('events')
  @HttpCode(HttpStatus.ACCEPTED)
  async publish(
    @Scope() { tenant }: RequestScope,
    @Param('session') session: string,
    @Body() body: EventRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Headers('traceparent') trace: string | undefined,
  ) {
    const { queues, definitions, registry } = this;
    const order = { tenant, session, body, idempotencyKey, trace };
    return { turns: await publishFromRequest({ queues, definitions, registry }, order) };
  }

  @Delete()
  @HttpCode(HttpStatus.NO_CONTENT)
  async delete(@Scope() scope: RequestScope, @Param('session') session: string): Promise<void> {
    const { name } = await findSession(this.queues, scope, session);
    const deleted = await deleteSession(this.queues, name);
    if (deleted === 'unknown') unknownSession(session);
    if (typeof deleted === 'string') return;
    const message = `The turn ${deleted.openTurn} of this session has not ended: wait for its end, or cancel it`;
    throw new ProblemError('conflict', message);
  }
}

function readLimit(text: string | undefined): number {
  const limit = wholeNumber('limit', text, DEFAULT_LIMIT);
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new ProblemError('invalid_request', `limit must be from 1 to ${MAX_LIMIT}, not ${limit}`);
}

/** @throws ProblemError `invalid_request`: a patch that is no object would replace the state as a whole */
function requirePatch(body: unknown): JsonObject {
  if (!isObject(body))
    throw new ProblemError('invalid_request', 'The body must be a JSON object: a merge patch (RFC 7396) of the state');
  if (!isDeeperThan(body)) return body as JsonObject;
  throw new ProblemError('invalid_request', `The body nests deeper than ${MAX_DEPTH} levels`);
}

function refuseState(error: unknown): never {
  if (error instanceof ToolError) throw new ProblemError('invalid_parameters', error.message);
  throw error;
}
