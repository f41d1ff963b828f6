import { FEATURES, SCOPES } from '@errand/contracts';
import { header, problem, responds, RETRY_AFTER, takes } from './path-terms.js';
import { list, object, text } from './schema-terms.js';

const COOKIE = { 'Set-Cookie': header('`errand_session`, which no script of a page can read') };

/** Paths of the login session of a browser. */
export const LOGIN_PATHS = {
  '/v1/login': {
    post: {
      operationId: 'beginLogin',
      tags: ['operation'],
      security: [],
      summary: 'Begin a login session: a cookie that every route below `/v1` takes in place of the key',
      requestBody: takes('LoginRequest'),
      responses: {
        201: responds('The session has begun. A server without keys needs none, and sets no cookie', 'Whoami', COOKIE),
        401: problem('`unauthorized`: the server does not have that key'),
        429: { ...problem('`rate_limited`: too many wrong keys came from this address'), headers: RETRY_AFTER },
      },
    },
  },
  '/v1/logout': {
    post: {
      operationId: 'endLogin',
      tags: ['operation'],
      security: [],
      summary: 'End the login session of the cookie, in every process at once',
      responses: { 204: { description: 'The session has ended', headers: COOKIE } },
    },
  },
  '/v1/whoami': {
    get: {
      operationId: 'getWhoami',
      tags: ['operation'],
      summary: 'Read who the caller is, and what this server has',
      responses: { 200: responds('The caller', 'Whoami') },
    },
  },
};

export const LOGIN_SCHEMAS = {
  Whoami: object({
    tenant: text,
    subject: { ...text, description: '`key:<id>` for a key; `local` where the server has no keys' },
    scopes: list({ enum: SCOPES }),
    expiresAt: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the login session ends if it is not used; `null` without one',
    },
    features: { ...list({ enum: FEATURES }), description: 'The parts that this server has' },
    version: text,
  }),
} satisfies Record<string, object>;
