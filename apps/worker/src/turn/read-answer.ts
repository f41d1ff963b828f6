import type { Json, JsonSchema, Problem } from '@errand/contracts';
import { withoutThoughts } from '@errand/protocol';
import { validateOutput } from '@errand/registry';

/** The tool of an agent, with the schema of its answer. */
type AnsweringTool = Parameters<typeof validateOutput>[0] & { output?: JsonSchema };

const MAX_PROBLEMS = 10;

/** The answer of a turn: the text for people, or the value that the agent's `output` describes. */
export function readAnswer({ output }: AnsweringTool, text: string, responseText: string): Json {
  const readable = withoutThoughts(text, responseText).trim();
  return output === undefined ? readable : (JSON.parse(withoutFence(readable)) as Json);
}

/** The Observation about an answer that does not fit the agent's `output`; undefined if it fits. */
export function answerFault(tool: AnsweringTool, text: string, responseText: string): string | undefined {
  if (tool.output === undefined) return undefined;
  const begin = 'Observation: Error - The answer must be one JSON value that fits the output of the agent';
  try {
    const problems = validateOutput(tool, readAnswer(tool, text, responseText));
    if (problems.length === 0) return undefined;
    return `${begin}: ${problems.slice(0, MAX_PROBLEMS).map(showProblem).join('; ')}`;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `${begin}, and nothing else: ${error.message}`;
  }
}

function showProblem({ path, message }: Problem): string {
  return path === '' ? message : `${path}: ${message}`;
}

/** Models often put JSON into a code fence. */
function withoutFence(text: string): string {
  return /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(text)?.[1] ?? text;
}
