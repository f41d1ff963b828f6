import { ToolError, type ErrorType } from '@errand/contracts';

/**
 * A failure that an operator can fix. Callers and models read `message` and `details`, so these name no setting, no image
 * and no file of the host. `hint` may name them; only the runner's log has it.
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

/** Returns the hint of an error or of its cause. */
export function hintOf(error: unknown): string | undefined {
  if (error instanceof HintedError) return error.hint;
  return error instanceof Error && error.cause !== undefined ? hintOf(error.cause) : undefined;
}
