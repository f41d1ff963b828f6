import { createContext, Script } from 'node:vm';
import { ToolError } from '@errand/contracts';

/** Long enough for a hundred thousand small steps, short enough that the neighbours in the same process are not held up for long. */
const LONGEST_MS = 1_000;

const room = createContext({});
const call = new Script('work()');

/**
 * Runs work that must not await anything and ends it when it has taken a second: expressions and queries come from data, and a few
 * nested loops in one take for ever. The runtime can only stop what runs inside `vm`, but then it stops everything that is called
 * from there, code of this realm included. It is no sandbox.
 * @throws TimeoutError
 */
export function withinTime<T>(what: string, work: () => T): T {
  try {
    room.work = work;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the script returns what `work` returns
    return call.runInContext(room, { timeout: LONGEST_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new ToolError(
      'TimeoutError',
      `${what} took longer than ${LONGEST_MS} ms; give it less data or fewer loops inside each other`,
    );
  } finally {
    delete room.work;
  }
}
