import { KnownError, type Problem } from '@errand/contracts';

/** The exit codes of client commands. bootstrap/exit-codes.mjs has the meanings of all codes. */
export const EXIT = { success: 0, failed: 1, usage: 2, unreachable: 3, refused: 4, interrupted: 130 } as const;

/** No Errand answers at the address, or it is unavailable. */
export class UnreachableError extends KnownError {
  readonly exitCode = EXIT.unreachable;

  /** @param fix what a person can do, for the line behind the message */
  constructor(
    message: string,
    readonly fix?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An event stream whose content is not from Errand. Another connection cannot help. */
export class WrongStreamError extends UnreachableError {}

/** An RFC 9457 problem with the fields that Errand adds. */
export interface Refusal {
  status: number;
  title: string;
  detail?: string;
  code: string;
  errors?: (Problem & { line?: number; column?: number })[];
  observation?: string;
}

/** Errand refused a request. */
export class RefusedError extends KnownError {
  readonly exitCode = EXIT.refused;

  constructor(readonly refusal: Refusal) {
    super(refusal.detail || refusal.title);
  }
}
