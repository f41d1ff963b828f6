import { isUtf8 } from 'node:buffer';
import { findInexact } from '@errand/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from './problem-error.js';

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Bodies are JSON and nothing else: what a form on some web page can send without asking is refused (415). Fastify's own parser would put
 * other characters for bytes that are not UTF-8, and other numbers for those that a double does not hold.
 */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addHook('onRequest', async ({ method, headers: { 'content-type': type } }) => {
    if (type !== undefined && method !== 'GET' && method !== 'HEAD') requireUtf8(type);
  });
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => readJsonBody(body),
  );
  // Who sends nothing need not say that it is JSON.
  fastify.addHook('preValidation', async (request) => {
    if (request.method === 'POST' && request.body === undefined) request.body = {};
  });
}

/** One parameter of a media type (RFC 9110, 5.6.6), which may be left out between two semicolons. */
const PARAMETER = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")[ \t]*)?/y;
/** JSON is UTF-8 (RFC 8259, 8.1), and ASCII is a part of it. */
const CHARSETS: readonly string[] = ['utf-8', 'utf8', 'us-ascii'];

/**
 * Refuses what is announced in another charset: its bytes could be read as other characters than were meant.
 * @throws ProblemError 415 also where the parameters cannot be read, or name a charset twice
 */
export function requireUtf8(contentType: string): void {
  const charsets = readCharsets(contentType);
  const [charset = 'utf-8', second] = charsets ?? [];
  if (charsets && second === undefined && CHARSETS.includes(charset)) return;
  throw new ProblemError(
    'invalid_request',
    `The body must be JSON in UTF-8, with \`content-type: application/json\`, not '${contentType.slice(0, 100)}'`,
    { status: 415 },
  );
}

/** Every charset of a media type, in lower case; undefined where its parameters cannot be read. */
function readCharsets(contentType: string): string[] | undefined {
  const charsets: string[] = [];
  let end = contentType.indexOf(';');
  if (end === -1) return charsets;
  PARAMETER.lastIndex = end;
  for (let found = PARAMETER.exec(contentType); found; found = PARAMETER.exec(contentType)) {
    end = PARAMETER.lastIndex;
    const [, name, value = ''] = found;
    if (/^charset\*?$/i.test(name ?? ''))
      charsets.push(value.replace(/^"(.*)"$/, '$1').replaceAll(/\\(.)/g, '$1').toLowerCase()); // prettier-ignore
  }
  return contentType.slice(end).trim() === '' ? charsets : undefined;
}

/**
 * Many clients announce JSON with every POST, also where they send nothing. That is no fault: nothing counts as an empty object, and
 * what needs more says so.
 * @throws ProblemError where it cannot be taken as it stands
 */
export function readJsonBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  if (!isUtf8(body)) throw refused('must be UTF-8; some of its bytes are not');
  const text = body.toString();
  const value = parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  const inexact = findInexact(text);
  if (inexact === undefined) return value;
  throw refused(`holds the number ${inexact.slice(0, 60)}, which is too large to be held exactly; send it as a string`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(`must be JSON: ${(error as Error).message}`);
  }
}

function refused(reason: string): ProblemError {
  return new ProblemError('invalid_request', `The body ${reason}`);
}
