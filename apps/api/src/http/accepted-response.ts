import { isFinal } from '@errand/contracts';
import { HttpStatus, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnswerInvocation } from './to-response.js';
import { InvocationWatcher, type OnDisconnect } from '../stream/wait-for-invocation.js';
import type { Submission } from '../submit/assign-id.js';
import { notFound } from './find-invocation.js';
import { MAX_WAIT_SECONDS, preferredWait, waitSeconds } from './read-parameter.js';

/** Answers to a request that makes an invocation: 202 at once, or with `Prefer: wait` 200 where it has ended by then. */
@Injectable()
export class SendAccepted {
  constructor(
    private readonly follow: InvocationWatcher,
    private readonly answer: AnswerInvocation,
  ) {}

  async send(
    reply: FastifyReply,
    { tenant, prefer }: { tenant: string; prefer: string | undefined },
    { id, enqueue }: Submission,
  ): Promise<void> {
    const wait = waitSeconds(preferredWait(prefer), MAX_WAIT_SECONDS);
    const patience = { ms: wait * 1_000, gone: onDisconnect(reply), begin: enqueue };
    const invocation =
      wait === 0 ? await enqueue() : ((await this.follow.waitForEnd(tenant, id, patience)) ?? notFound(id));
    const ended = wait > 0 && isFinal(invocation.status);
    if (wait > 0) void reply.header('preference-applied', `wait=${wait}`);
    void reply
      .status(ended ? HttpStatus.OK : HttpStatus.ACCEPTED)
      .header('location', `/v1/invocations/${id}`)
      .send(this.answer.of(invocation));
  }
}

/** Calls back when the caller hangs up, until it is told to stop. */
export function onDisconnect({ raw }: FastifyReply): OnDisconnect {
  return (abort) => {
    raw.once('close', abort);
    return () => raw.off('close', abort);
  };
}
