import { createRequire } from 'node:module';
import { isObject, sizeOf, toFailure, ToolError } from '@errand/contracts';
import { copyObject } from './copy-json.js';
import { hasRun, pack, unpack, type ThreadOutcome, type ThreadTask } from './pack-computation.js';

/**
 * The largest size of a result, in characters. A value counts as ten characters, because the event loop reads, copies
 * and writes it several times.
 */
const MAX_SIZE = 10_000_000;
const SIZE_OF_A_VALUE = 10;

/** Loads the module of a task, so that the first run starts faster. */
export function prepare({ module }: ThreadTask): void {
  try {
    createRequire(module)(module);
  } catch {
    // `run` reports the same error.
  }
}

/** Entry point of a thread: calls the function `run` of the task's module. It never throws. */
export async function run({ module, input }: ThreadTask): Promise<ThreadOutcome> {
  try {
    const loaded: unknown = createRequire(module)(module);
    if (!hasRun(loaded)) throw new Error(`${module} exports no function 'run'`);
    const result: unknown = await loaded.run(unpack(input));
    if (!isObject(result)) throw new ToolError('OutputError', 'The computation did not return an object');
    requireBounded(result);
    return { result: pack(copyObject(result)) };
  } catch (error) {
    return { failure: toFailure(error, 'NodeError') };
  }
}

function requireBounded(result: object): void {
  if (sizeOf(result, MAX_SIZE, SIZE_OF_A_VALUE) <= MAX_SIZE) return;
  throw new ToolError(
    'ResourceLimitError',
    `The result is larger than ${MAX_SIZE} characters, of which each value counts as ${SIZE_OF_A_VALUE}`,
  );
}
