/** The kinds of errors in a text or a call. The same words are the `code` of the HTTP response. */
export const ERROR_KINDS = [
  'malformed_xml',
  'malformed_tam',
  'truncated',
  'empty_action',
  'missing_command',
  'unknown_tool',
  'invalid_parameters',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** One problem of a value. `path` is a JSON Pointer into the arguments or the file (`/items/0/name`); `''` is the whole. */
export interface Problem {
  path: string;
  message: string;
  /** The nearest valid name. Absent if no name is close. */
  suggestion?: string;
}

/** A problem with its position in the submitted text. `line` and `column` are 1-based; columns count UTF-16 code units. */
export interface LocatedProblem extends Problem {
  kind: ErrorKind;
  line: number;
  column: number;
  /** The 0-based number of the call in the text. Absent if the problem belongs to no single call. */
  call?: number;
}

/** A part of a text that Errand repaired or ignored, perhaps against the intention of its author. */
export interface LocatedWarning {
  /** Set for a deprecated tool only. */
  kind?: 'deprecated';
  message: string;
  line: number;
  column: number;
}

/** Every `code` of an HTTP error, with its status and title (RFC 9457). One table, so that the docs and the filter agree. */
export const PROBLEM_CODES = {
  malformed_xml: { status: 422, title: 'The ACTION block is not well-formed' },
  malformed_tam: { status: 422, title: 'The TAM block is not well-formed' },
  truncated: { status: 422, title: 'The text ends before its block does' },
  empty_action: { status: 422, title: 'The ACTION block is empty' },
  missing_command: { status: 422, title: 'The block names no tool' },
  unknown_tool: { status: 422, title: 'There is no such tool' },
  invalid_parameters: { status: 422, title: 'The arguments do not fit the tool' },
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'Who are you?' },
  forbidden: { status: 403, title: 'This is not allowed' },
  not_found: { status: 404, title: 'There is no such thing here' },
  conflict: { status: 409, title: 'This conflicts with what is there' },
  not_cancellable: { status: 409, title: 'The invocation has ended already' },
  payload_too_large: { status: 413, title: 'The request body is too large' },
  unsupported_callback_url: { status: 422, title: 'The callback address is not allowed' },
  rate_limited: { status: 429, title: 'Too many requests' },
  queue_full: { status: 429, title: 'The queue is full' },
  internal_error: { status: 500, title: 'A fault of ours' },
  unavailable: { status: 503, title: 'Errand cannot take this now' },
} as const satisfies Record<string, { status: number; title: string }>;
export type ProblemCode = keyof typeof PROBLEM_CODES;
