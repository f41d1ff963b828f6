import { ToolError } from '@errand/contracts';

/** What came is not what a supervisor writes: somebody else wrote. */
export function untrustedSupervisor(how: string, cause?: unknown): ToolError {
  const message = `The script's supervisor wrote ${how}: the script has tampered with it, so its result cannot be trusted`;
  return new ToolError('SecurityError', message, undefined, { cause });
}
