import { PROBLEM_CODES, STATUSES } from '@errand/contracts';
import { CONTROL_PATHS } from './control-paths.js';
import { INVOCATION_PATHS } from './invocation-paths.js';
import { INVOCATION_SCHEMAS } from './invocation-schemas.js';
import { OPERATION_PATHS } from './tool-paths.js';
import { parameter, takes } from './path-terms.js';
import { REQUEST_SCHEMAS } from './request-schemas.js';
import { TOOL_PATHS } from './tool-paths.js';
import { TOOL_SCHEMAS } from './tool-schemas.js';

/** The HTTP API as OpenAPI 3.1. Written by hand beside the controllers; a test holds it against the routes and the DTOs. */
export const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'Errand',
    version: '1',
    description:
      'Runs the tools of AI agents as durable background jobs. Submit text with an `<ACTION>` or TAM block, or JSON; ' +
      'then wait, poll, or follow the event stream. Every error is `application/problem+json`; its `code` is one of: ' +
      `${Object.keys(PROBLEM_CODES)
        .map((code) => `\`${code}\``)
        .join(
          ', ',
        )}. A request of a page of another origin is \`forbidden\` unless \`ERRAND_ALLOWED_ORIGINS\` lists that origin, and without ` +
      'keys so is one whose `Host` is not a name of this machine. A request that does not arrive in time gets 408, one in another charset ' +
      `than UTF-8 gets 415. An invocation is ${STATUSES.map((status) => `\`${status}\``).join(', ')}.`,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  paths: { ...INVOCATION_PATHS, ...CONTROL_PATHS, ...TOOL_PATHS, ...OPERATION_PATHS },
  webhooks: {
    invocationEnded: {
      post: {
        summary: 'What `callback.url` is sent, signed after Standard Webhooks; 2xx takes it, 410 wants no more',
        parameters: [
          parameter('header', 'webhook-id', 'The same however often it is sent'),
          parameter('header', 'webhook-timestamp', 'Seconds since 1970, of this attempt'),
          parameter('header', 'webhook-signature', '`v1,…` by each secret, separated by blanks'),
        ],
        requestBody: takes('InvocationEnded'),
        responses: { '2XX': { description: 'It is taken' } },
      },
    },
  },
  components: { schemas: { ...REQUEST_SCHEMAS, ...INVOCATION_SCHEMAS, ...TOOL_SCHEMAS } },
};
