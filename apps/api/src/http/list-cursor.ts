import { createHash } from 'node:crypto';
import { canonicalJson, isInvocationId } from '@errand/contracts';
import type { InvocationQuery } from '@errand/queue';
import { ProblemError } from './problem-error.js';

/** The list that a cursor belongs to. */
export interface CursorOwner {
  tenant: string;
  sought: InvocationQuery;
}

/** A cursor holds a position and a digest of its list, because it is valid for the same tenant and filters only. */
export function toCursor(owner: CursorOwner, position: string | undefined): string | null {
  return position === undefined ? null : Buffer.from(`${digestOf(owner)}:${position}`).toString('base64url');
}

/**
 * Reads the position of a cursor. A forged position of the right form shows nothing more than the list itself.
 * @throws ProblemError invalid_request for a malformed cursor, or for one of another list
 */
export function readCursor(cursor: string | undefined, owner: CursorOwner): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const colon = text.indexOf(':');
  const position = text.slice(colon + 1);
  if (colon === -1 || !isPosition(position))
    throw new ProblemError('invalid_request', 'cursor must be a nextCursor that this list has given');
  if (text.slice(0, colon) !== digestOf(owner))
    throw new ProblemError('invalid_request', 'cursor belongs to a list with other filters; begin without a cursor');
  return position;
}

/**
 * An id, or in the order of changes `<number of a change>:<id>`, with several shards one for each: `<shard>=<number>:<id>~…`. A list with the
 * other order has another digest.
 */
function isPosition(position: string): boolean {
  return position.split('~').every((part) => {
    const [, id = ''] = /^(?:[\w.-]{1,40}=)?(?:\d{1,16}:)?(\w+)$/.exec(part) ?? [];
    return isInvocationId(id);
  });
}

function digestOf(owner: CursorOwner): string {
  return createHash('sha256').update(canonicalJson(owner)).digest('base64url').slice(0, 10);
}
