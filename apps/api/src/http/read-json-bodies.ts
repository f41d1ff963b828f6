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
