import type { Json, JsonSchema, Problem } from '@errand/contracts';
import { faultsOfOutput, validateAnswer } from '@errand/registry';

/** Schemas to compile, or one schema and the answer that must fit it. */
export type AnswerCheckTask =
  | { schemas: readonly (JsonSchema | boolean)[] }
  | { schema: JsonSchema | boolean; result: Json };

/** The problems of each schema; or of the schema of an answer, and of the answer if the schema has none. */
export type AnswerCheckOutcome = { ofSchemas: Problem[][] } | { ofSchema: Problem[]; ofResult: Problem[] };

/** Runs in its own thread, because the schemas can come from a caller. */
export function run(task: AnswerCheckTask): AnswerCheckOutcome {
  if ('schemas' in task) return { ofSchemas: task.schemas.map(faultsOfOutput) };
  const ofSchema = faultsOfOutput(task.schema);
  return { ofSchema, ofResult: ofSchema.length > 0 ? [] : validateAnswer(task.schema, task.result) };
}
