import { toToolMessages } from '@errand/agents';
import { didYouMean, isFinal, MESSAGE_FORMS, type MessageForm } from '@errand/contracts';
import { Queues, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { CompleteStep } from '../control/complete-step.js';
import { answerOf, AnswerRequest } from '../http/control-requests.js';
import { findInvocation } from '../http/find-invocation.js';
import { Scope } from '../http/guard-access.js';
import { ProblemError } from '../http/problem-error.js';
import type { RequestScope } from '../http/request-scope.js';
import { answersOf, toResponse } from '../http/to-response.js';
import { MessagesQuery } from './message-requests.js';

/** The calls of model APIs: their answers as messages, and answers to single calls by their id. */
@Controller('v1/invocations/:id')
export class MessagesController {
  constructor(
    private readonly completeStep: CompleteStep,
    private readonly registry: Registry,
    private readonly queues: Queues,
  ) {}

  /** The answers to the calls of an ended invocation, ready to append to the conversation. */
  @Get('messages')
  async messages(@Scope() { reach }: RequestScope, @Param('id') id: string, @Query() { format }: MessagesQuery) {
    const wanted = format === undefined ? undefined : requireForm(format);
    const invocation = await findInvocation(this.queues, reach, id);
    requireEnded(invocation);
    const form = wanted ?? invocation.record.messageForm ?? 'openai';
    return { format: form, messages: toToolMessages(form, answersOf(this.registry, invocation)) };
  }

  /** Takes the answer to an external call by the id that the model gave it. */
  @Post('calls/:callId/result')
  @HttpCode(HttpStatus.ACCEPTED)
  async result(
    @Scope() scope: RequestScope,
    @Param('id') id: string,
    @Param('callId') callId: string,
    @Body() body: AnswerRequest,
  ) {
    const { nodeId } = body;
    const target = targetOf(await findInvocation(this.queues, scope.reach, id), callId);
    const given = { scope, ...target, answer: answerOf(body), ...(nodeId !== undefined && { nodeId }) };
    const completed = await this.completeStep.complete(given);
    const shown = target.id === id ? completed : await findInvocation(this.queues, scope.reach, id);
    return toResponse(this.registry, shown, scope);
  }
}

function requireForm(format: string): MessageForm {
  const form = MESSAGE_FORMS.find((name) => name === format);
  if (form) return form;
  const suggestion = didYouMean(format, MESSAGE_FORMS);
  const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
  const message = `format must be one of ${MESSAGE_FORMS.join(', ')}${hint}`;
  throw new ProblemError('invalid_request', message, { errors: [{ path: '/format', message }] });
}

function requireEnded({ status }: StoredInvocation): void {
  if (isFinal(status)) return;
  const reason = status === 'waiting_external' ? 'it waits for an answer' : `it is ${status}`;
  throw new ProblemError(
    'conflict',
    `Only an invocation that has ended has messages: ${reason}; wait with GET ?wait=60`,
  );
}

/**
 * The step with this call: of the invocation itself, or of the invocation that runs the calls of a turn.
 * @throws ProblemError `not_found` with the nearest id
 */
function targetOf({ id, steps }: StoredInvocation, callId: string): { id: string; index: number } {
  const index = steps.findIndex((step) => step.callId === callId);
  if (index !== -1) return { id, index };
  const rounds = steps.flatMap((step) => step.rounds ?? []);
  for (const { calls, invocationId } of rounds) {
    const called = calls.findIndex((call) => call.callId === callId);
    if (called !== -1 && invocationId !== undefined) return { id: invocationId, index: called };
  }
  const known = [...steps, ...rounds.flatMap(({ calls }) => calls)].flatMap((call) => call.callId ?? []);
  const suggestion = didYouMean(callId, known);
  const hint = suggestion === undefined ? '' : `, did you mean '${suggestion.slice(0, 80)}'?`;
  const reason = known.length === 0 ? ': its calls have no ids; answer by the number of the step' : hint;
  throw new ProblemError('not_found', `The invocation has no call ${callId.slice(0, 80)}${reason}`);
}
