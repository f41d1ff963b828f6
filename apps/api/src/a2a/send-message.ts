import { readAnswer } from '@errand/agents';
import type { Message } from '@a2a-js/sdk';
import { isFinal, type Json, type Waiting } from '@errand/contracts';
import { openWaits } from '@errand/protocol';
import { claimKeys, Queues, readClaim, type StoredInvocation } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { CompleteStep } from '../control/complete-step.js';
import { findInvocation } from '../http/find-invocation.js';
import { ProblemError } from '../http/problem-error.js';
import type { RequestScope } from '../http/request-scope.js';
import { SubmitInvocation, type NewPush } from '../submit/submit-invocation.js';
import type { A2aCaller } from './a2a-caller.js';
import { PartError } from './a2a-errors.js';
import { A2aTasks } from './a2a-tasks.js';
import { invalid, keyOf, requireMessage, toSubmission } from './read-request.js';

/** The task that has got a message, and the wait that the message ended. */
export interface SentMessage {
  invocation: StoredInvocation;
  answered?: Waiting;
}

/** Gives a message to an agent: it begins a turn, or answers one that waits. The same message again has no further effect. */
@Injectable()
export class SendMessage {
  constructor(
    private readonly tasks: A2aTasks,
    private readonly submitInvocation: SubmitInvocation,
    private readonly completeStep: CompleteStep,
    private readonly queues: Queues,
  ) {}

  /** @throws ProblemError, PartError */
  async send(caller: A2aCaller, given: Message | undefined, push?: NewPush): Promise<SentMessage> {
    const message = requireMessage(given);
    return message.taskId ? this.answer(caller, message) : { invocation: await this.begin(caller, message, push) };
  }

  private async begin(caller: A2aCaller, message: Message, push: NewPush | undefined): Promise<StoredInvocation> {
    const submitter = { tenant: caller.scope.tenant, idempotencyKey: keyOf(caller, message), push };
    const accepted = await this.submitInvocation.submit(toSubmission(caller, message), submitter);
    if (accepted.status === 'no_action') throw new Error('A call of an agent was accepted without a call');
    return accepted;
  }

  private async answer(caller: A2aCaller, message: Message): Promise<SentMessage> {
    const invocation = await this.tasks.find(caller, message.taskId);
    const { id, session, status, steps } = invocation;
    if (message.contextId && message.contextId !== session)
      throw invalid('message.contextId', `must be ${session ?? 'absent'}, the context of the task, or be left out`);
    const key = keyOf(caller, { ...message, contextId: session ?? '' });
    const { tenant } = invocation.record;
    const waiting = steps[0]?.waiting;
    if (status !== 'waiting_external' || waiting?.for !== 'answer') {
      if ((await readClaim(this.queues, { tenant, key })) === id) return { invocation };
      throw new ProblemError('conflict', takesNone(invocation));
    }
    const read = readAnswer(message.parts, waiting.schema);
    if ('fault' in read) throw new PartError(read);
    const { step, invocationId, key: node } = waiting;
    // The same message at a later wait is known by its other body. It must not answer that one.
    const body = { step, invocationId, key: node };
    const [claimed] = await claimKeys(this.queues, [{ tenant, key, body, id }]);
    if (claimed === 'other body' || claimed?.id !== id) return { invocation };
    await this.complete(caller, waiting, id, read.value);
    return { invocation: await this.tasks.find(caller, id), answered: waiting };
  }

  private async complete({ scope }: A2aCaller, waiting: Waiting, task: string, result: Json): Promise<void> {
    const { invocationId: id = task, step: index = 0, key } = waiting;
    const nodeId = key === undefined ? undefined : await this.nodeOf(scope, { id, index, key });
    await this.completeStep.complete({
      scope,
      id,
      index,
      answer: { result },
      ...(nodeId !== undefined && { nodeId }),
    });
  }

  /** The node whose wait has this key. Undefined if it waits no longer. */
  private async nodeOf(
    { reach }: RequestScope,
    { id, index, key }: { id: string; index: number; key: string },
  ): Promise<string | undefined> {
    const { steps } = await findInvocation(this.queues, reach, id);
    const step = steps[index];
    return step && openWaits(step).find(({ waiting }) => waiting.key === key)?.nodeId;
  }
}

function takesNone({ status }: StoredInvocation): string {
  return isFinal(status)
    ? `The task has ended (${status}) and takes no message; leave taskId out to begin another one in its context`
    : `The task takes a message only while it waits for an answer; now it is ${status}`;
}
