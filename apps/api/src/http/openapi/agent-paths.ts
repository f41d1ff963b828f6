import { NOT_FOUND, parameter, tagged } from './path-terms.js';

/** Paths of the agents. */
export const AGENT_PATHS = {
  '/v1/agents': {
    get: {
      operationId: 'listAgents',
      tags: ['agents'],
      summary: 'List the agents',
      responses: tagged('The agents, by id', 'AgentList'),
    },
  },
  '/v1/agents/{id}': {
    get: {
      operationId: 'getAgent',
      tags: ['agents'],
      summary: 'Read one agent',
      parameters: [parameter('path', 'id', 'The id of the profile')],
      responses: { ...tagged('The agent', 'Agent'), ...NOT_FOUND },
    },
  },
};
