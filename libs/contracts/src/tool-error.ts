/**
 * Every way in which a tool can fail. `retryable`: a second run of the same call may succeed.
 * The table is plain data, like Temporal's failure classes, because failures cross processes as JSON.
 */
export const ERROR_TYPES = {
  TimeoutError: { retryable: false, when: 'the tool did not end within its time limit' },
  ScriptError: { retryable: false, when: 'the script ended with an exit code other than 0 or was killed by a signal' },
  DependencyError: { retryable: false, when: 'the dependencies of a script could not be installed' },
  SecurityError: { retryable: false, when: 'the call asks for what the policy does not allow' },
  ResourceLimitError: { retryable: false, when: 'the tool hit a limit on memory, processes, files or output' },
  OutputError: {
    retryable: false,
    when: 'the tool ended well but what it gave is not one valid JSON value, or not of the declared shape',
  },
  NodeError: { retryable: false, when: 'a node of a workflow threw' },
  ParameterValidationError: { retryable: false, when: 'arguments known only at run time do not fit the tool' },
  ServiceError: { retryable: true, when: 'a backend service, the sandbox or another part of the platform failed' },
  CancelledError: { retryable: false, when: 'somebody cancelled the invocation' },
  LostError: { retryable: false, when: 'the process that ran the step died and the outcome cannot be known' },
} as const satisfies Record<string, { retryable: boolean; when: string }>;
export type ErrorType = keyof typeof ERROR_TYPES;

/** The failure of an invocation, as plain data. */
export interface Failure {
  type: ErrorType;
  message: string;
  details?: Record<string, unknown>;
}

/**
 * The only error class for failures that callers see. Any other thrown value is an internal error and becomes a `ServiceError` or a
 * `NodeError`.
 */
export class ToolError extends Error {
  constructor(
    readonly type: ErrorType,
    message: string,
    readonly details?: Record<string, unknown>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = type;
  }

  toFailure(): Failure {
    return { type: this.type, message: this.message, ...(this.details && { details: this.details }) };
  }
}

/**
 * Whether a failure has used up an explicit number of attempts, which `details.tried` holds. The number is the total: no outer code
 * retries the failure.
 */
export function isTriedOut({ details }: Pick<Failure, 'details'>): boolean {
  return typeof details?.['tried'] === 'number';
}

/** Converts a thrown value to a Failure. A value that is not a ToolError becomes `fallback` with its message, without a stack. */
export function toFailure(thrown: unknown, fallback: ErrorType): Failure {
  if (thrown instanceof ToolError) return thrown.toFailure();
  return { type: fallback, message: thrown instanceof Error ? thrown.message : String(thrown) };
}
