/**
 * Every way in which a tool can fail. `retryable`: whether the same call, run again, may end otherwise.
 * One table of plain data (an idea of Temporal's failure classes): it crosses processes as JSON, and a test reads it.
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

/** A failure as it stands in an invocation: plain data. */
export interface Failure {
  type: ErrorType;
  message: string;
  details?: Record<string, unknown>;
}

/** The one error class for failures that a caller is told of. Anything else thrown is a fault of ours and becomes its `ServiceError` or `NodeError`. */
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
 * Whether a failure says in `details.tried` how often it was tried already, because somebody has written how often: the number is the
 * total, and nothing around it tries it again.
 */
export function isTriedOut({ details }: Pick<Failure, 'details'>): boolean {
  return typeof details?.['tried'] === 'number';
}

/** Anything thrown, as a Failure; what is no ToolError becomes `fallback`, with its message only (no stack, no path of ours). */
export function toFailure(thrown: unknown, fallback: ErrorType): Failure {
  if (thrown instanceof ToolError) return thrown.toFailure();
  return { type: fallback, message: thrown instanceof Error ? thrown.message : String(thrown) };
}
