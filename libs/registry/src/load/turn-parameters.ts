import type { JsonSchema } from '@errand/contracts';

/** The names that client tools may have. They must not begin with `agent:` or `core:`, see `problemsOfTurn`. */
const CLIENT_TOOL_NAME = '^[A-Za-z0-9_.:-]{1,64}$';
export const MAX_CLIENT_TOOLS = 128;
export const MAX_CONTEXT_ENTRIES = 64;

const message: JsonSchema = {
  type: 'object',
  properties: {
    role: { type: 'string', enum: ['user', 'system', 'event'] },
    content: { type: 'string' },
    id: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: 'An id of the caller. A message whose id the conversation knows is not appended again',
    },
  },
  required: ['role', 'content'],
  additionalProperties: false,
};

const clientTool: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: CLIENT_TOOL_NAME, description: 'The name under which the agent sees the tool' },
    description: { type: 'string' },
    parameters: { type: 'object', description: 'The parameters as JSON Schema', additionalProperties: true },
    output: { type: 'object', description: 'The result as JSON Schema', additionalProperties: true },
  },
  required: ['name'],
  additionalProperties: false,
};

const contextEntry: JsonSchema = {
  type: 'object',
  properties: { description: { type: 'string' }, value: {} },
  required: ['description', 'value'],
  additionalProperties: false,
};

/**
 * The parameters of every tool `agent:<id>`. One of `message` and `messages` is required: `problemsOfTurn` checks that,
 * because model APIs refuse a choice at the top of a schema.
 */
export const TURN_PARAMETERS: JsonSchema = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'The message for the agent. This or messages is required' },
    messages: {
      type: 'array',
      items: message,
      minItems: 1,
      description: 'Several messages for the agent, oldest first; message follows them',
    },
    tools: {
      type: 'array',
      items: clientTool,
      maxItems: MAX_CLIENT_TOOLS,
      description: 'Tools that the caller itself runs, for this turn',
    },
    context: {
      type: 'array',
      items: contextEntry,
      maxItems: MAX_CONTEXT_ENTRIES,
      description: 'What the agent should know for this turn',
    },
    state: {
      type: 'object',
      additionalProperties: true,
      description: 'Values to put into the world state of the session, by their names',
    },
  },
  additionalProperties: false,
};
