import type { JsonSchema, Problem } from '@errand/contracts';
import { faultsOfOutput } from '@errand/registry';

/** Runs in a thread. */
export function run({ schema }: { schema: JsonSchema | boolean }): { problems: Problem[] } {
  return { problems: faultsOfOutput(schema) };
}
