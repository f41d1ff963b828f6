import type { Answer } from '@errand/contracts';
import type { AnswerRequest } from './control-requests.js';
import { ProblemError } from './problem-error.js';

/** The answer in a request. @throws ProblemError unless the request has exactly one of `result` and `error` */
export function answerOf({ result, error }: AnswerRequest): Answer {
  if (result !== undefined && error === undefined) return { result };
  if (error !== undefined && result === undefined) return { error };
  throw new ProblemError('invalid_request', 'Give one of: `result`; `error` {message}');
}
