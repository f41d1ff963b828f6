import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onDisconnect } from '../http/accepted-response.js';
import { addVary, Tagged } from '../http/entity-tags.js';
import { Scope } from '../http/guard-access.js';
import type { RequestScope } from '../http/request-scope.js';
import { sendEventStream } from '../stream/send-event-stream.js';
import type { A2aCaller } from './a2a-caller.js';
import { AgentCards } from './agent-cards.js';
import { AnswerRequest, type RpcAnswer } from './answer-request.js';
import { checkEnvelope, idOf, RPC, versionOf, type RpcError } from './check-envelope.js';
import { RpcProblems } from './rpc-problems.js';
import { toStreamItems } from './stream-items.js';

const VERSION_HEADER = 'a2a-version';
const CARD = '.well-known/agent-card.json';

/** A2A: JSON-RPC of the agents that run here, and their cards. */
@Controller()
export class A2aController {
  constructor(
    private readonly cards: AgentCards,
    private readonly answering: AnswerRequest,
  ) {}

  @Post('a2a/:agent')
  @HttpCode(HttpStatus.OK)
  @RpcProblems()
  async call(
    @Scope() scope: RequestScope,
    @Param('agent') agent: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body() body: unknown,
  ): Promise<void> {
    this.cards.requireRunnable(agent);
    void reply.header('cache-control', 'no-store');
    const version = versionOf(request.headers[VERSION_HEADER]);
    if (version === undefined) return sendError(reply, body, { code: RPC.version, message: unknownVersion() });
    const envelope = checkEnvelope(body);
    if ('error' in envelope) return sendError(reply, body, envelope.error);
    const base = this.cards.baseOf(request);
    const caller: A2aCaller = { agent, scope, version, base, onDisconnect: onDisconnect(reply) };
    await send(reply, await this.answering.answer(caller, envelope));
  }

  @Get(`a2a/:agent/${CARD}`)
  @Tagged()
  card(@Param('agent') agent: string, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.sendCard(agent, request, reply);
  }

  /** The card of the default agent. */
  @Get(CARD)
  @Tagged()
  defaultCard(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.sendCard(this.cards.defaultAgent(), request, reply);
  }

  private sendCard(agent: string, request: FastifyRequest, reply: FastifyReply) {
    this.cards.requireRunnable(agent);
    addVary(reply, 'A2A-Version');
    addVary(reply, 'Host');
    return this.cards.card(agent, this.cards.baseOf(request), versionOf(request.headers[VERSION_HEADER]) ?? '1.0');
  }
}

async function send(reply: FastifyReply, { response, failure }: RpcAnswer): Promise<void> {
  if (Symbol.asyncIterator in response) return sendEventStream(reply, toStreamItems(response));
  if (failure?.retryAfter !== undefined) void reply.header('retry-after', String(failure.retryAfter));
  await reply.status(failure?.status ?? HttpStatus.OK).send(response);
}

function sendError(reply: FastifyReply, body: unknown, error: RpcError): void {
  void reply.status(HttpStatus.OK).send({ jsonrpc: '2.0', id: idOf(body), error });
}

function unknownVersion(): string {
  return 'A2A-Version must be 1.0 or 0.3; without the header it is 0.3';
}
