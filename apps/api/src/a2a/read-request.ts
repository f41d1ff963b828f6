import { createHash } from 'node:crypto';
import { MESSAGE_ID, readMessageText } from '@errand/agents';
import type { Message } from '@a2a-js/sdk';
import { RequestPipe } from '../http/request-pipe.js';
import { ProblemError } from '../http/problem-error.js';
import { SubmitRequest } from '../http/submission-requests.js';
import { toolOf, type A2aCaller } from './a2a-caller.js';
import { PartError } from './a2a-errors.js';

const LONGEST_ID = 256;
/** ROLE_USER of the SDK's enum. */
const USER: number = 1;

const pipe = new RequestPipe();

/** The message of a request, checked. @throws ProblemError invalid_request */
export function requireMessage(message: Message | undefined): Message {
  if (!message) throw invalid('message', 'is missing');
  const { messageId, role } = message;
  if (typeof messageId !== 'string' || messageId === '' || messageId.length > LONGEST_ID)
    throw invalid('message.messageId', `must be a text of 1 to ${LONGEST_ID} characters`);
  if ((role as number) !== USER) throw invalid('message.role', 'must be ROLE_USER (user in 0.3)');
  return message;
}

/** The submission of a message: a call of the agent in the session that `contextId` names. @throws ProblemError, PartError */
export function toSubmission(caller: A2aCaller, message: Message): SubmitRequest {
  const read = readMessageText(message.parts);
  if ('fault' in read) throw new PartError(read);
  const request = {
    toolId: toolOf(caller),
    arguments: { message: read.text },
    metadata: { [MESSAGE_ID]: message.messageId },
    ...(message.contextId && { session: message.contextId }),
  };
  try {
    return pipe.transform(request, { type: 'body', metatype: SubmitRequest }) as SubmitRequest;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError(error.code, error.detail.replace('session', 'message.contextId'), error.more);
  }
}

/** The idempotency key of a message: the same message in a context begins one task. */
export function keyOf({ agent }: A2aCaller, { messageId, contextId }: Message): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([agent, contextId, messageId]))
    .digest('hex');
  return `a2a:${digest}`;
}

/** @throws ProblemError invalid_request for a negative length */
export function requireLength(historyLength: number | undefined): number | undefined {
  if (historyLength === undefined || (Number.isInteger(historyLength) && historyLength >= 0)) return historyLength;
  throw invalid('historyLength', 'must be a whole number from 0');
}

export function invalid(path: string, reason: string): ProblemError {
  const message = `${path} ${reason}`;
  return new ProblemError('invalid_request', message, { errors: [{ path: `/${path.replaceAll('.', '/')}`, message }] });
}
