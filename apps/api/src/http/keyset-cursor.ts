import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '@errand/contracts';
import { ProblemError } from './problem-error.js';

/** A cursor holds a position and a digest of its list, because it is valid for the same tenant and filters only. */
export function toKeysetCursor(owner: JsonObject, position: string | undefined): string | null {
  return position === undefined ? null : Buffer.from(`${digestOf(owner)}:${position}`).toString('base64url');
}

/**
 * Reads the position of a cursor. A forged position of the right form shows nothing more than the list itself.
 * @param form the form of a position
 * @throws ProblemError invalid_request for a malformed cursor, or for one of another list
 */
export function readKeysetCursor(cursor: string | undefined, owner: JsonObject, form: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const [, digest, position = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (digest === undefined || !form.test(position))
    throw new ProblemError('invalid_request', 'cursor must be a nextCursor that this list has given');
  if (digest !== digestOf(owner))
    throw new ProblemError('invalid_request', 'cursor belongs to a list with other filters; begin without a cursor');
  return position;
}

function digestOf(owner: JsonObject): string {
  return createHash('sha256').update(canonicalJson(owner)).digest('base64url').slice(0, 10);
}
