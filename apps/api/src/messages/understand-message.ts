import { checkMessage, MESSAGE_SHAPES, readMessage, toToolMessages } from '@errand/agents';
import type { ToolLookup } from '@errand/contracts';
import { ProblemError } from '../http/problem-error.js';
import type { Understood } from '../submit/understood.js';

/**
 * Reads the calls of a model's message and checks them against their tools. Their form and ids are in `native`.
 * @throws ProblemError 422 with all problems by the id of their call, and with a tool message for each call
 */
export function understandMessage(message: unknown, book: ToolLookup): Understood {
  const read = readMessage(message);
  if ('fault' in read) throw shapeError(read.fault);
  const { form, calls, responseText } = read;
  const { resolved, warnings, refusal } = checkMessage(read, book);
  if (refusal) {
    const { problems, observation, answers } = refusal;
    const detail = problems.map((problem) => problem.message).join('\n');
    const messages = toToolMessages(form, answers);
    throw new ProblemError(problems[0]?.kind ?? 'invalid_parameters', detail, {
      errors: problems,
      called: calls.map(({ toolId }) => toolId),
      observation,
      messages,
    });
  }
  const callIds = calls.map(({ callId = '' }) => callId);
  return { calls: resolved, responseText, native: { form, callIds }, ...(warnings.length > 0 && { warnings }) };
}

function shapeError({ path, message }: { path: string; message: string }): ProblemError {
  const detail = path === '' ? message : `message${path}: ${message}`;
  const errors = [{ path: `/message${path}`, message }];
  const hint = message.includes(MESSAGE_SHAPES) ? detail : `${detail}. The shapes are: ${MESSAGE_SHAPES}`;
  return new ProblemError('invalid_request', hint, { status: 422, errors, messages: [] });
}
