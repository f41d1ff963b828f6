import { McpAnswers } from './mcp-answers.js';
import { McpCalls } from './mcp-calls.js';
import { McpCatalogue } from './mcp-catalogue.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { McpListResponses } from './mcp-list-responses.js';
import { McpServerFactory } from './mcp-server-factory.js';
import { McpSubmissions } from './mcp-submissions.js';
import { McpTasks } from './mcp-tasks.js';

/** The services of the MCP server, for the API module. */
export const MCP_SERVICES = [
  McpCatalogue,
  McpListResponses,
  McpAnswers,
  McpSubmissions,
  McpCalls,
  McpTasks,
  McpServerFactory,
  McpEndpoint,
] as const;
