import { readMessage, toToolMessages, type MessageCall } from '@errand/agents';
import { PROBLEM_CODES } from '@errand/contracts';
import { observeProblems } from '@errand/protocol';
import { ProblemError } from '../http/problem-error.js';
import { OptionsRequest, SubmitRequest } from '../http/submission-requests.js';

/** Model APIs mean the calls of one message as parallel calls, each of which fails for itself. The caller's options have precedence. */
export function nativeDefaults(request: SubmitRequest): SubmitRequest {
  const { mode = 'parallel', onError = 'continue' } = request.options ?? {};
  const options = Object.assign(new OptionsRequest(), request.options, { mode, onError });
  return Object.assign(new SubmitRequest(), request, { options });
}

/**
 * Returns the handler for the refusal of a message. A refusal that the model has to read, and every 422, gets a tool message for each call:
 * model APIs accept no conversation in which a call has no answer.
 */
export function refuseMessage(message: unknown): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ProblemError) || error.more.messages || !isForModel(error)) throw error;
    const read = readMessage(message);
    if ('fault' in read) throw error;
    const { errors } = error.more;
    const wrong = errors?.find(({ call }) => call !== undefined)?.call;
    const content = error.more.observation ?? observeRefusal(error.detail);
    const other = observeRefusal('Another call of the message is wrong. Correct it and send this call again.');
    const answers = read.calls.flatMap(({ callId, isCustom }, n) => {
      const isOther = wrong !== undefined && wrong !== n;
      return callId === undefined ? [] : [{ callId, isCustom, isError: true, content: isOther ? other : content }];
    });
    throw new ProblemError(error.code, error.detail, {
      ...error.more,
      ...(errors && { errors: errors.map((problem) => withCallId(problem, read.calls)) }),
      messages: toToolMessages(read.form, answers),
    });
  };
}

function withCallId<T extends { call?: number }>(problem: T, calls: readonly MessageCall[]): T & { callId?: string } {
  const { callId } = (problem.call === undefined ? undefined : calls[problem.call]) ?? {};
  return callId === undefined ? problem : { ...problem, callId };
}

function isForModel({ code, more: { status, observation } }: ProblemError): boolean {
  return observation !== undefined || (status ?? PROBLEM_CODES[code].status) === 422;
}

/** The refusal in one line. `unknown_tool` is the kind whose lines have no opening of their own. */
function observeRefusal(reason: string): string {
  return observeProblems([{ kind: 'unknown_tool', path: '', message: `Nothing ran. ${reason}` }], []);
}
