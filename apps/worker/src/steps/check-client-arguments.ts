import { join } from 'node:path';
import type { JsonObject, ToolInterface, ToolLookup } from '@errand/contracts';
import type { ArgumentsCheck, GivenArguments } from './client-arguments-thread.js';
import type { RunComputation } from './run-computation.js';
import type { StepContext } from './step-context.js';

/** Arguments for a client tool. */
export interface ClientArguments {
  tool: Pick<ToolInterface, 'toolId' | 'parameters'>;
  arguments: JsonObject;
}

/** What `ToolLookup.validate` returns. */
export type CheckedArguments = ReturnType<ToolLookup['validate']>;

const MODULE = join(__dirname, 'client-arguments-thread');
/** It only ends a hang: the steps of each check are counted. */
const TIMEOUT_MS = 30_000;

/**
 * Fills in the defaults of client tools and checks the arguments, as `validateArguments` does. The schemas come from a caller and may be
 * hostile, so a thread compiles and applies them. The results have the order of the arguments.
 * @throws TimeoutError, ResourceLimitError, or the reason of the signal
 */
export async function checkClientArguments(
  computation: RunComputation,
  { work, signal }: Pick<StepContext, 'work' | 'signal'>,
  given: readonly ClientArguments[],
): Promise<CheckedArguments[]> {
  const packed = given.map(({ tool: { toolId, parameters }, arguments: args }): GivenArguments => {
    return { toolId, parameters, arguments: args };
  });
  const limits = {
    timeoutMs: TIMEOUT_MS,
    what: 'The check of arguments for client tools',
    advice: 'simplify the schemas',
  };
  const result = await computation.run(work, { module: MODULE, input: inputOf(packed), ...limits }, signal);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of the module
  const { checks: json } = result as { checks: string };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of the module
  const checks = JSON.parse(json) as ArgumentsCheck[];
  return given.map(({ arguments: args }, n) => {
    const { problems, arguments: filled = args } = checks[n] ?? unchecked();
    return { arguments: filled, problems };
  });
}

/** As `checkClientArguments`, for one call. */
export async function checkClientCall(
  computation: RunComputation,
  context: Pick<StepContext, 'work' | 'signal'>,
  given: ClientArguments,
): Promise<CheckedArguments> {
  const [checked = unchecked()] = await checkClientArguments(computation, context, [given]);
  return checked;
}

function inputOf(given: GivenArguments[]): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- schemas and arguments are JSON
  return { given } as unknown as JsonObject;
}

function unchecked(): never {
  throw new Error('The thread returned fewer results than arguments');
}
