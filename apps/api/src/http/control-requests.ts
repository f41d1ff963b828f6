import { Allow, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import type { Json, JsonObject } from '@errand/contracts';
import { FreeObject, Nested } from './dto.js';

/** POST /v1/invocations/:id/retry: inputs that take the place of those of a step or node, by its key. */
export class RetryRequest {
  @IsOptional() @FreeObject() steps?: JsonObject;
}

/** Why an external tool failed. */
export class AnswerErrorRequest {
  @IsString() @IsNotEmpty() @MaxLength(10_000) message: string;
}

/** POST /v1/invocations/:id/steps/:step/result: `result`, which may be any JSON value, or `error`. */
export class AnswerRequest {
  @Allow() result?: Json;
  @IsOptional() @Nested(AnswerErrorRequest) error?: AnswerErrorRequest;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(1_000) nodeId?: string;
}

/** GET /v1/invocations/:id */
export class ReadQuery {
  /** Seconds. */
  @IsOptional() @IsString() wait?: string;
}

/** GET /v1/invocations/:id/logs */
export class LogsQuery {
  @IsOptional() @IsString() step?: string;
}

/** GET /v1/invocations/:id/result */
export class ResultQuery {
  @IsOptional() @IsString() @MaxLength(4_000) path?: string;
  /** The words that are looked for. */
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) q?: string;
  @IsOptional() @IsString() offset?: string;
  @IsOptional() @IsString() limit?: string;
}
