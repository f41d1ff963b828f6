import { PROBLEM_CODES, STATUSES } from '@errand/contracts';
import { LOGIN_COOKIE } from '../../login/login-cookie.js';
import { A2A_PATHS, A2A_SCHEMAS } from './a2a-paths.js';
import { AGUI_PATHS } from './agui-paths.js';
import { AGUI_SCHEMAS } from './agui-schemas.js';
import { AGENT_PATHS } from './agent-paths.js';
import { AGENT_SCHEMAS } from './agent-schemas.js';
import { BATCH_PATHS } from './batch-paths.js';
import { BULK_PATHS, BULK_SCHEMAS } from './bulk-paths.js';
import { completePaths } from './complete-paths.js';
import { CONTROL_PATHS } from './control-paths.js';
import { EVENT_SCHEMAS } from './event-schemas.js';
import { INBOX_PATHS, INBOX_SCHEMAS } from './inbox-paths.js';
import { FEED_PATHS, FEED_SCHEMAS } from './feed-paths.js';
import { INVOCATION_PATHS } from './invocation-paths.js';
import { TURN_SCHEMAS } from './turn-schemas.js';
import { INVOCATION_SCHEMAS } from './invocation-schemas.js';
import { LEDGER_PATHS, LEDGER_SCHEMAS } from './ledger-paths.js';
import { LIST_SCHEMAS } from './list-schemas.js';
import { LOGIN_PATHS, LOGIN_SCHEMAS } from './login-paths.js';
import { MCP_PATHS, MCP_SCHEMAS } from './mcp-paths.js';
import { MESSAGE_PATHS } from './message-paths.js';
import { OPERATION_PATHS } from './tool-paths.js';
import { REFUSAL_PATHS, REFUSAL_SCHEMAS } from './refusal-paths.js';
import { SESSION_PATHS, SESSION_SCHEMAS } from './session-paths.js';
import { PROCESS_PATHS, PROCESS_SCHEMAS } from './process-paths.js';
import { QUEUE_PATHS, QUEUE_SCHEMAS } from './queue-paths.js';
import { STATS_PATHS, STATS_SCHEMAS } from './stats-paths.js';
import { parameter, takes } from './path-terms.js';
import { PROBLEM_SCHEMA } from './problem-schema.js';
import { REQUEST_SCHEMAS } from './request-schemas.js';
import { SANDBOX_PATHS, SANDBOX_SCHEMAS } from './sandbox-paths.js';
import { serversFor } from './servers-for.js';
import { TOOL_PATHS } from './tool-paths.js';
import { TOOL_SCHEMAS } from './tool-schemas.js';

/** The HTTP API as OpenAPI 3.1. It is written by hand, with the schemas of bodies from the DTOs. Tests compare
 * it with the routes and with real responses. */
export const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'Errand',
    version: '1',
    description:
      'Runs the tools of AI agents as durable background jobs. Submit text with an `<ACTION>` or TAM block, JSON, or the message of a model API. ' +
      'Then wait, poll, or follow the event stream. Every error is `application/problem+json`. Its `code` is one of: ' +
      `${quoted(Object.keys(PROBLEM_CODES))}. A request from a page of another origin gets \`forbidden\` unless ` +
      '`ERRAND_ALLOWED_ORIGINS` lists that origin. Without API keys, so does a request whose `Host` is not a name of this machine. ' +
      'A request that does not arrive in time gets 408. A body in another charset than UTF-8 gets 415. ' +
      "A key without a tenant is the operator's. It finds an invocation of every tenant by id, and acts for the tenant of the header " +
      '`X-Errand-Tenant`. A key of a tenant that names another one gets `forbidden`. ' +
      `The status of an invocation is one of: ${quoted(STATUSES)}.`,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: serversFor(),
  security: [{ apiKey: [] }, { loginSession: [] }],
  tags: [
    { name: 'invocations', description: 'Submit calls, follow them, and read their results' },
    { name: 'refusals', description: 'Submissions that were refused with 422, and what models get wrong' },
    { name: 'sessions', description: 'The conversations and states of agents' },
    { name: 'protocols', description: 'Parse the text of a model' },
    { name: 'tools', description: 'The tools that can be called' },
    { name: 'agents', description: 'The agents of the library, and runs of them' },
    { name: 'operation', description: 'Health and metrics for operators' },
  ],
  paths: completePaths({
    ...BATCH_PATHS,
    ...INVOCATION_PATHS,
    ...FEED_PATHS,
    ...CONTROL_PATHS,
    ...INBOX_PATHS,
    ...BULK_PATHS,
    ...LEDGER_PATHS,
    ...MESSAGE_PATHS,
    ...REFUSAL_PATHS,
    ...AGUI_PATHS,
    ...SESSION_PATHS,
    ...MCP_PATHS,
    ...TOOL_PATHS,
    ...STATS_PATHS,
    ...A2A_PATHS,
    ...AGENT_PATHS,
    ...QUEUE_PATHS,
    ...PROCESS_PATHS,
    ...SANDBOX_PATHS,
    ...LOGIN_PATHS,
    ...OPERATION_PATHS,
  }),
  webhooks: {
    invocationEnded: {
      post: {
        operationId: 'receiveInvocationEnded',
        security: [],
        summary:
          'The message to `callback.url`, signed after Standard Webhooks. A response of 2xx accepts it, 410 stops further attempts',
        parameters: [
          parameter('header', 'webhook-id', 'The same in every attempt'),
          parameter('header', 'webhook-timestamp', 'The time of this attempt, in seconds since 1970'),
          parameter('header', 'webhook-signature', '`v1,…` for each secret, separated by blanks'),
        ],
        requestBody: takes('InvocationEnded'),
        responses: { '2XX': { description: 'The message is accepted' } },
      },
    },
  },
  components: {
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'A key of ERRAND_API_KEYS. An API without this setting needs no key',
      },
      loginSession: {
        type: 'apiKey',
        in: 'cookie',
        name: LOGIN_COOKIE,
        description:
          'The cookie of `POST /v1/login`, for routes below `/v1`. Pages of other sites may change nothing with it',
      },
    },
    schemas: {
      ...REQUEST_SCHEMAS,
      ...INVOCATION_SCHEMAS,
      ...TURN_SCHEMAS,
      ...LIST_SCHEMAS,
      ...INBOX_SCHEMAS,
      ...BULK_SCHEMAS,
      ...LEDGER_SCHEMAS,
      ...EVENT_SCHEMAS,
      ...FEED_SCHEMAS,
      ...AGUI_SCHEMAS,
      ...REFUSAL_SCHEMAS,
      ...SESSION_SCHEMAS,
      ...TOOL_SCHEMAS,
      ...STATS_SCHEMAS,
      ...A2A_SCHEMAS,
      ...AGENT_SCHEMAS,
      ...QUEUE_SCHEMAS,
      ...PROCESS_SCHEMAS,
      ...SANDBOX_SCHEMAS,
      ...LOGIN_SCHEMAS,
      ...MCP_SCHEMAS,
      ...PROBLEM_SCHEMA,
    },
  },
};

function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
