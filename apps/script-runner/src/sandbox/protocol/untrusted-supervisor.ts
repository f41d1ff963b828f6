import { ToolError } from '@errand/contracts';

/** @param how the data that no honest supervisor writes, as in "invalid JSON" */
export function untrustedSupervisor(how: string, cause?: unknown): ToolError {
  const message = `The script's supervisor wrote ${how}: the script has tampered with it, so its result cannot be trusted`;
  return new ToolError('SecurityError', message, undefined, { cause });
}
