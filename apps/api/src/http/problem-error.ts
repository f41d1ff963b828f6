import type { LocatedProblem, Problem, ProblemCode } from '@errand/contracts';

/** A refusal of a request. `ProblemFilter` turns it into `application/problem+json`. */
export class ProblemError extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly more: {
      /** `call` is the number of the call that a problem belongs to. */
      errors?: readonly ((Problem & { call?: number }) | LocatedProblem)[];
      observation?: string;
      /** The answers to the calls of a model's message, in the form of that message. */
      messages?: readonly object[];
      /** The written names of the tools that were called, by the number of the call. Never sent to a client. */
      called?: readonly string[];
      /** Replaces the status of the code if that one is not exact enough (405, 415). */
      status?: number;
      retryAfterSeconds?: number;
      /** The body is not JSON at all. */
      isSyntax?: true;
    } = {},
  ) {
    super(detail);
    this.name = 'ProblemError';
  }
}
