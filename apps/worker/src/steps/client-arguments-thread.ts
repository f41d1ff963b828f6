import type { JsonObject, JsonSchema, Problem } from '@errand/contracts';
import { validateArguments } from '@errand/registry';

/** Arguments for a tool of the caller. */
export interface GivenArguments {
  toolId: string;
  parameters: JsonSchema;
  arguments: JsonObject;
}

/** The result for one call. `arguments` is absent if no default was filled in: a large copy costs time and memory. */
export interface ArgumentsCheck {
  arguments?: JsonObject;
  problems: Problem[];
}

/** Runs in a thread. The results, as JSON, have the order of the arguments. A list around arguments could nest too deep for a result. */
export function run({ given }: { given: readonly GivenArguments[] }): { checks: string } {
  const checks = given.map(({ arguments: args, ...tool }): ArgumentsCheck => {
    const { arguments: filled, problems } = validateArguments(tool, args);
    return { problems, ...(filled !== args && { arguments: filled }) };
  });
  return { checks: JSON.stringify(checks) };
}
