import { PROBLEM_CODES, type ProblemCode } from '@errand/contracts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** The body of a problem (RFC 9457). */
interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
}

/** @param status the status code, if that of `code` is not exact enough */
export function problemBody(code: ProblemCode, detail: string, status?: number): ProblemBody {
  const known = PROBLEM_CODES[code];
  return { type: `urn:errand:problem:${code}`, title: known.title, status: status ?? known.status, code, detail };
}
