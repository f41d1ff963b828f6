import { PROBLEM_CODES, STATUSES } from '@errand/contracts';
import { CONTROL_PATHS } from './control-paths.js';
import { INVOCATION_PATHS } from './invocation-paths.js';
import { INVOCATION_SCHEMAS } from './invocation-schemas.js';
import { MESSAGE_PATHS } from './message-paths.js';
import { OPERATION_PATHS } from './tool-paths.js';
import { parameter, takes } from './path-terms.js';
import { REQUEST_SCHEMAS } from './request-schemas.js';
import { TOOL_PATHS } from './tool-paths.js';
import { TOOL_SCHEMAS } from './tool-schemas.js';

/** The HTTP API as OpenAPI 3.1. It is written by hand, with the schemas of bodies from the DTOs. A test compares the routes. */
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
      `The status of an invocation is one of: ${quoted(STATUSES)}.`,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  paths: { ...INVOCATION_PATHS, ...CONTROL_PATHS, ...MESSAGE_PATHS, ...TOOL_PATHS, ...OPERATION_PATHS },
  webhooks: {
    invocationEnded: {
      post: {
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
  components: { schemas: { ...REQUEST_SCHEMAS, ...INVOCATION_SCHEMAS, ...TOOL_SCHEMAS } },
};

function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
