import type { ProblemCode } from '@errand/contracts';

/** The response to an error, before a surface gives it its form. */
export interface ProblemResponse {
  status: number;
  code: ProblemCode;
  body: { detail: string; errors: readonly object[] };
  /** In seconds. */
  retryAfter?: number;
}
