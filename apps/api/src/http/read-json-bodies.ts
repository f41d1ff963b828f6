import { isUtf8 } from 'node:buffer';
import { findInexact } from '@errand/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findJsonFault } from './find-json-fault.js';
import { ProblemError } from './problem-error.js';

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Accepts JSON bodies only. Other types, which a form of any web page can send, get 415. The parser of Fastify is not used: it replaces
 * bytes that are not UTF-8, and rounds numbers that a double cannot hold.
 */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addHook('onRequest', ({ method, headers: { 'content-type': type } }, _reply, done) => {
    if (type !== undefined && method !== 'GET' && method !== 'HEAD') requireUtf8(type);
    done();
  });
  fastify.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (_request: FastifyRequest, body: Buffer, done) => done(null, readJsonBody(body)),
  );
  // A request without a body needs no content type.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.method === 'POST' && request.body === undefined) request.body = {};
    done();
  });
}

/** One parameter of a media type (RFC 9110, 5.6.6). It may be empty between two semicolons. */
const PARAMETER = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")[ \t]*)?/y;
/** JSON is UTF-8 (RFC 8259, 8.1), and ASCII is a subset of UTF-8. */
const CHARSETS: readonly string[] = ['utf-8', 'utf8', 'us-ascii'];

/**
 * Refuses a body in another charset, because its bytes could be read as wrong characters.
 * @throws ProblemError 415, also for malformed parameters or two charsets
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

/** Every charset of a media type, in lower case; undefined for malformed parameters. */
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
 * Parses a body. An empty body counts as an empty object, because many clients send the content type with every POST.
 * @throws ProblemError if the body is not valid JSON in UTF-8, or holds a number that a double cannot hold
 */
export function readJsonBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  if (!isUtf8(body)) throw notJson('must be UTF-8; some of its bytes are not');
  const text = body.toString();
  const value = parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  const inexact = findInexact(text);
  if (inexact === undefined) return value;
  throw refused(`holds the number ${inexact.slice(0, 60)}, which is too large to be held exactly; send it as a string`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser would repeat a part of the body, which may hold secrets.
    const { reason = 'it is not', position = 0, line = 1, column = 1 } = findJsonFault(text) ?? {};
    throw notJson(`must be JSON: ${reason} at position ${position} (line ${line}, column ${column})`);
  }
}

function refused(reason: string): ProblemError {
  return new ProblemError('invalid_request', `The body ${reason}`);
}

function notJson(reason: string): ProblemError {
  return new ProblemError('invalid_request', `The body ${reason}`, { isSyntax: true });
}
