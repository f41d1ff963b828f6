import { PROBLEM_CODES, STATUS_TITLES, type ProblemCode } from '@errand/contracts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** The body of a problem (RFC 9457). */
interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  /** The wrong parts of the request. Empty where the detail says everything. */
  errors: readonly object[];
}

/** @param status replaces the status of the code if that one is not exact enough */
export function problemBody(
  code: ProblemCode,
  detail: string,
  status: number = PROBLEM_CODES[code].status,
): ProblemBody {
  return {
    type: `urn:errand:problem:${code}`,
    title: STATUS_TITLES[status] ?? 'Error',
    status,
    code,
    detail,
    errors: [],
  };
}
