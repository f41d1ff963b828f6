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

/**
 * A problem of a stored workflow. `code` marks problems that can follow from a part that is missing: an unknown id of a node, an input
 * without a value, and an order that names an edge which does not lead there. It is never sent to a caller.
 */
export interface WorkflowProblem extends Problem {
  code?: 'unknown_node' | 'missing_input' | 'wrong_order';
}

/** A problem with its position in the submitted text. `line` and `column` are 1-based; columns count UTF-16 code units. */
export interface LocatedProblem extends Problem {
  kind: ErrorKind;
  line: number;
  column: number;
  /** The position behind what is wrong. Only in dry runs. */
  endLine?: number;
  endColumn?: number;
  /** One edit of the text that corrects the problem. Only in dry runs, and only where there is one. */
  fix?: TextFix;
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

/** A range of a text. Lines and columns are 1-based; the end is behind the last character. */
export interface TextRange {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** The replacement of a range of a text. */
export interface TextFix extends TextRange {
  text: string;
}

/** Where a value is written. */
export interface ValuePlace extends TextRange {
  /** The written text, cut after 2,000 characters. */
  raw: string;
  /** What Errand repaired or ignored in it. */
  repair?: string;
}

/** Where a call is written, and its values by JSON Pointer into the arguments. */
export interface CallPlaces {
  place: TextRange;
  places: Record<string, ValuePlace>;
}

/** The standard title of each HTTP status that Errand sends (RFC 9110). */
export const STATUS_TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  505: 'HTTP Version Not Supported',
};

/** Every `code` of an HTTP error with its status. One table, so that the docs and the filter agree. */
export const PROBLEM_CODES = {
  malformed_xml: { status: 422 },
  malformed_tam: { status: 422 },
  truncated: { status: 422 },
  empty_action: { status: 422 },
  missing_command: { status: 422 },
  unknown_tool: { status: 422 },
  invalid_parameters: { status: 422 },
  invalid_request: { status: 400 },
  unauthorized: { status: 401 },
  forbidden: { status: 403 },
  not_found: { status: 404 },
  conflict: { status: 409 },
  not_cancellable: { status: 409 },
  payload_too_large: { status: 413 },
  unsupported_callback_url: { status: 422 },
  rate_limited: { status: 429 },
  queue_full: { status: 429 },
  internal_error: { status: 500 },
  unavailable: { status: 503 },
} as const satisfies Record<string, { status: number }>;
export type ProblemCode = keyof typeof PROBLEM_CODES;
