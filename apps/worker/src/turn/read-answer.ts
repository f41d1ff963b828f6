import type { AgentDefinition, Json, Problem, ToolInterface } from '@errand/contracts';
import { withoutThoughts } from '@errand/protocol';
import { validateOutput } from '@errand/registry';

/** The agent whose answer is read, and its tool, which has the schema of the answer. */
interface Answering {
  agent: Pick<AgentDefinition, 'output'>;
  definition: { tool: ToolInterface };
}

const MAX_PROBLEMS = 10;

/** The answer of a turn: the text for people, or the value that the agent's `output` describes. */
export function readAnswer({ agent }: Pick<Answering, 'agent'>, text: string, responseText: string): Json {
  const readable = withoutThoughts(text, responseText).trim();
  return agent.output === undefined ? readable : (JSON.parse(withoutFence(readable)) as Json);
}

/** The Observation about an answer that does not fit the agent's `output`; undefined if it fits. */
export function answerFault({ agent, definition }: Answering, text: string, responseText: string): string | undefined {
  if (agent.output === undefined) return undefined;
  const begin = 'Observation: Error - The answer must be one JSON value that fits the output of the agent';
  try {
    const problems = validateOutput(definition.tool, readAnswer({ agent }, text, responseText));
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

const FENCE = '```';
/** The first line of a fence. Its blanks match without line breaks, so that many line breaks take linear time. */
const BEGIN = /^```(?:json)?[^\S\n]*\n/;

/** Models often put JSON into a code fence. */
function withoutFence(text: string): string {
  const begin = BEGIN.exec(text)?.[0].length;
  if (begin === undefined || text.length < begin + FENCE.length || !text.endsWith(FENCE)) return text;
  return text.slice(begin, -FENCE.length);
}
