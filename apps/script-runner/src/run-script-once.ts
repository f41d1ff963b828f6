import { ToolError } from '@errand/contracts';
import type { JournalWriter } from '@errand/queue';

/** The mark in the journal of the job. */
const SCRIPT = 'script';

/**
 * Runs a script that may take effect only once. Its job has a mark before it begins. The mark goes away if the script did not begin, or if it
 * failed by itself. An attempt that finds the mark does not begin: the runner died, or what followed the script failed.
 * @param hasBegun whether a container has begun to run the script
 * @throws ToolError LostError if it is unknown whether the script took effect; any error of `run`
 */
export async function runOnce<T>(
  journal: Pick<JournalWriter, 'beginOnce' | 'clearOnce'>,
  toolId: string,
  run: () => Promise<T>,
  hasBegun: () => boolean,
): Promise<T> {
  if (!(await journal.beginOnce(SCRIPT)))
    throw outcomeUnknown(`The script of ${toolId} began before, and its end could not be stored`);
  try {
    return await run();
  } catch (error) {
    if (!hasBegun() || isOfTheScript(error)) await journal.clearOnce(SCRIPT);
    else if (error instanceof ToolError) throw outcomeUnknown(error.message);
    throw error;
  }
}

/** The platform failed, and not the script. */
function isOfTheScript(error: unknown): boolean {
  return error instanceof ToolError && error.type !== 'ServiceError';
}

/** @param reason why it is unknown whether the script took effect */
export function outcomeUnknown(reason: string): ToolError {
  const unknown = 'It is unknown whether the tool took effect, and it may take effect only once';
  return new ToolError('LostError', `${reason}. ${unknown}`);
}
