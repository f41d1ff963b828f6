import type { PartFault } from '@errand/agents';
import type { ApiLogger } from '../api-tokens.js';
import { ProblemError } from '../http/problem-error.js';
import { toProblem } from '../http/problem.filter.js';
import type { ProblemResponse } from '../http/problem-response.js';
import type { A2aSdk } from './a2a-sdk.js';

/** Codes of problems, by the name of the SDK's error. All other refusals of a request are invalid parameters. */
const NAMED = {
  not_found: 'TaskNotFoundError',
  conflict: 'UnsupportedOperationError',
  not_cancellable: 'TaskNotCancelableError',
} as const;

/** A part of a message that agents here do not read. */
export class PartError extends Error {
  constructor(readonly found: PartFault) {
    super(
      found.fault === 'empty'
        ? 'message.parts must have a text or data part'
        : `message.parts[${found.part}] is a ${found.kind} part; agents here read text and data parts`,
    );
  }
}

/**
 * Turns what a request throws into errors of A2A. An error that is the server's (a full queue, Redis away, a bug) keeps the problem in
 * `failure`, which has the status code and `Retry-After` of the response.
 */
export class A2aErrors {
  failure: ProblemResponse | undefined;

  constructor(
    private readonly sdk: A2aSdk,
    private readonly logger: ApiLogger,
  ) {}

  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.translate(error);
    }
  }

  async *guardStream<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    try {
      yield* items;
    } catch (error) {
      throw this.translate(error);
    }
  }

  private translate(error: unknown): Error {
    const { A2AError, RequestMalformedError, ContentTypeNotSupportedError, ...named } = this.sdk.errors;
    if (error instanceof A2AError) return error;
    if (error instanceof PartError)
      return error.found.fault === 'empty'
        ? new RequestMalformedError(error.message)
        : new ContentTypeNotSupportedError(error.message);
    const problem = toProblem(error);
    const { detail = '' } = problem.body as { detail?: string };
    if (problem.status < 500 && problem.status !== 429) {
      const name = NAMED[problem.code as keyof typeof NAMED];
      return name === undefined ? new RequestMalformedError(detail) : new named[name](detail);
    }
    this.failure = problem;
    if (!(error instanceof ProblemError)) this.logger.error({ err: error, code: problem.code }, 'request failed');
    return new A2AError(detail);
  }
}
