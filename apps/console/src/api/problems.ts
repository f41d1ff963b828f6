import type { LocatedProblem } from '@errand/contracts';

/** The body of a refused request (RFC 9457). */
export interface ProblemBody {
  code: string;
  detail: string;
  errors?: readonly Partial<LocatedProblem>[];
  observation?: string;
}

/** The API refused a request. */
export class RefusedRequest extends Error {
  readonly code: string;
  readonly detail: string;

  constructor(
    readonly status: number,
    readonly body: ProblemBody,
    /** How long to wait before the next try, in seconds. */
    readonly retryAfterSeconds?: number,
  ) {
    super(body.detail);
    this.name = 'RefusedRequest';
    this.code = body.code;
    this.detail = body.detail;
  }
}

/** The API did not answer, or Redis is away. The same request may succeed later. */
export class ServerAway extends Error {
  constructor(message = 'The API does not answer') {
    super(message);
    this.name = 'ServerAway';
  }
}

/** Whether the thing that was asked for does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RefusedRequest && error.status === 404;
}

/** What an error says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
