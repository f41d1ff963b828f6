import { ToolError, type ErrorType } from '@errand/contracts';

/**
 * A failure that an operator can do something about. `message` and `details` are read by callers and models and name no setting, no file of
 * the host and no image; `hint` does, and goes into the runner's log alone.
 */
export class HintedError extends ToolError {
  constructor(
    type: ErrorType,
    message: string,
    readonly hint: string,
    { details, cause }: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(type, message, details, { cause });
  }
}

/** The hint of an error, or of what caused it. */
export function hintOf(error: unknown): string | undefined {
  if (error instanceof HintedError) return error.hint;
  return error instanceof Error && error.cause !== undefined ? hintOf(error.cause) : undefined;
}
