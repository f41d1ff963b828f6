import { AGENT_PROTOCOLS, DEFAULT_AGENT_LIMITS } from '@errand/contracts';
import { list, object, page, ref, text, whole } from './schema-terms.js';

const described = {
  id: text,
  displayName: text,
  description: text,
  runnable: {
    type: 'boolean',
    description: 'Whether the tool `agent:<id>` exists. Otherwise the program of the agent is elsewhere',
  },
  protocol: { enum: [...AGENT_PROTOCOLS], description: 'The form of calls that the prompt teaches' },
  tools: { ...list(text), description: 'The ids of the tools that the agent may call' },
  links: {
    type: 'object',
    additionalProperties: text,
    description: 'The routes of the agent: `agui`, `a2a` and `card` if it is runnable, and `mcp`',
  },
};
const limits = Object.fromEntries([...Object.keys(DEFAULT_AGENT_LIMITS), 'maxTokens'].map((name) => [name, whole]));

/** Agents and their limits. */
export const AGENT_SCHEMAS = {
  AgentList: page('AgentEntry'),
  AgentEntry: object(described),
  Agent: object({
    ...described,
    limits: { ...object(limits, Object.keys(DEFAULT_AGENT_LIMITS)), description: 'The limits of a turn' },
    problems: { ...list(ref('LibraryProblem')), description: 'The problems of the file of the agent' },
  }),
} satisfies Record<string, object>;
