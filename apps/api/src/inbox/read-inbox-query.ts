import { createHash } from 'node:crypto';
import { canonicalJson, INBOX_KINDS, type InboxKind } from '@errand/contracts';
import type { WaitPageRequest, WaitQuery } from '@errand/queue';
import { IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { ProblemError } from '../http/problem-error.js';
import { wholeNumber } from '../http/read-parameter.js';

/** GET /v1/inbox */
export class InboxQuery {
  @IsOptional() @IsIn(INBOX_KINDS) kind?: InboxKind;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) toolId?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) agent?: string;
  @IsOptional() @IsString() limit?: string;
  @IsOptional() @IsString() @MaxLength(8_000) cursor?: string;
  /** Read with the scope of the request. */
  @IsOptional() @IsString() tenant?: string;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** The list that a request asks for, and the page of it. */
interface InboxRequest extends WaitPageRequest {
  sought: WaitQuery;
  /** Writes the cursor of the next page. */
  toCursor: (position: string | undefined) => string | null;
}

/** @throws ProblemError invalid_request for a malformed limit or cursor, or a cursor of another list */
export function readInboxQuery(tenant: string, { kind, toolId, agent, limit: text, cursor }: InboxQuery): InboxRequest {
  const limit = wholeNumber('limit', text, DEFAULT_LIMIT);
  if (limit < 1 || limit > MAX_LIMIT)
    throw new ProblemError('invalid_request', `limit must be from 1 to ${MAX_LIMIT}, not ${limit}`);
  if (toolId?.includes('@'))
    throw new ProblemError('invalid_request', `toolId must be given without a version: ${toolId.split('@', 1)[0]}`);
  const sought = { ...(toolId !== undefined && { toolId }), ...(agent !== undefined && { agent }) };
  const digest = createHash('sha256')
    .update(canonicalJson({ tenant, sought, kind: kind ?? null }))
    .digest('base64url')
    .slice(0, 10);
  const after = cursor === undefined ? undefined : positionOf(cursor, digest);
  return {
    sought,
    limit,
    ...(after !== undefined && { after }),
    toCursor: (position) =>
      position === undefined ? null : Buffer.from(`${digest}:${position}`).toString('base64url'),
  };
}

/** A forged position shows nothing more than the list itself. */
function positionOf(cursor: string, digest: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, owner, position] = /^([\w-]{10}):(\d{15}:.+)$/s.exec(text) ?? [];
  if (position === undefined)
    throw new ProblemError('invalid_request', 'cursor must be a nextCursor that this list has given');
  if (owner === digest) return position;
  throw new ProblemError('invalid_request', 'cursor belongs to a list with other filters; begin without a cursor');
}
