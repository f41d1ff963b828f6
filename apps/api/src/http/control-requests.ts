import { Allow, IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import type { Json, JsonObject, Answer } from '@errand/contracts';
import { BoundedKeys } from './bounded-keys.js';
import { FreeObject, Nested } from './dto.js';
import { ProblemError } from './problem-error.js';

/** POST /v1/invocations/:id/cancel */
export class CancelRequest {
  @IsOptional() @IsString() @MaxLength(1_000) reason?: string;
}

/** POST /v1/invocations/:id/retry: new inputs by the key of a step or node. An invocation has at most 1,000 steps. */
export class RetryRequest {
  @IsOptional() @FreeObject() @BoundedKeys({ count: 1_000, length: 1_000 }) steps?: JsonObject;
  /** New limits for a turn of an agent. */
  @IsOptional() @FreeObject() @BoundedKeys({ count: 100, length: 256 }) limits?: JsonObject;
}

/** POST /v1/queues/:name/pause: why, as one line for people. */
export class PauseRequest {
  @IsOptional() @IsString() @MaxLength(1_000) note?: string;
}

/** GET /v1/queues/:name: a page of its tenants. */
export class QueueQuery {
  @IsOptional() @IsString() limit?: string;
  @IsOptional() @IsString() cursor?: string;
}

/** The error of an external tool. */
export class AnswerErrorRequest {
  @IsString() @IsNotEmpty() @MaxLength(10_000) message: string;
}

/** POST /v1/invocations/:id/steps/:step/result: `result`, which may be any JSON value, or `error`. */
export class AnswerRequest {
  @Allow() result?: Json;
  @IsOptional() @Nested(AnswerErrorRequest) error?: AnswerErrorRequest;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(1_000) nodeId?: string;
}

/** The query of a read that can wait. */
export class ReadQuery {
  /** A number of seconds. */
  @IsOptional() @IsString() wait?: string;
}

/** GET /v1/invocations/:id */
export class ReadInvocationQuery extends ReadQuery {
  /** The most characters of a result in the Observation, in place of those of the submission. */
  @IsOptional() @IsString() maxResultChars?: string;
}

/** GET /v1/invocations/:id/logs */
export class LogsQuery {
  @IsOptional() @IsString() after?: string;
  @IsOptional() @IsString() limit?: string;
  /** The text to search for. */
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) q?: string;
  @IsOptional() @IsString() step?: string;
  @IsOptional() @IsIn(['json', 'text']) format?: 'json' | 'text';
}

/** GET /v1/invocations/:id/result */
export class ResultQuery {
  @IsOptional() @IsString() @MaxLength(4_000) path?: string;
  /** The text to search for. */
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) q?: string;
  @IsOptional() @IsString() offset?: string;
  @IsOptional() @IsString() limit?: string;
}

/** The answer in a request. @throws ProblemError unless the request has exactly one of `result` and `error` */
export function answerOf({ result, error }: AnswerRequest): Answer {
  if (result !== undefined && error === undefined) return { result };
  if (error !== undefined && result === undefined) return { error };
  throw new ProblemError('invalid_request', 'Give one of: `result`; `error` {message}');
}
