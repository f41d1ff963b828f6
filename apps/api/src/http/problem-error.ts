import type { LocatedProblem, Problem, ProblemCode } from '@errand/contracts';

/** A refusal, on its way to become `application/problem+json`. */
export class ProblemError extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly more: {
      errors?: readonly (Problem | LocatedProblem)[];
      observation?: string;
      /** Where the table's status is not exact enough (405, 415). */
      status?: number;
      retryAfterSeconds?: number;
    } = {},
  ) {
    super(detail);
    this.name = 'ProblemError';
  }
}
