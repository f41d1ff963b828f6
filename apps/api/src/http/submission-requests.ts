import { applyDecorators } from '@nestjs/common';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBase64,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { CALLBACK_EVENTS, type CallbackEvent, type JsonObject } from '@errand/contracts';
import { BoundedKeys, METADATA_KEYS } from './bounded-keys.js';
import { FreeObject, Nested } from './dto.js';

/** The protocols for calls in a text that a request may name. */
export const PROTOCOLS = ['auto', 'action', 'tam', 'tam2', 'vcp'] as const;

const DAY_MS = 86_400_000;
const ON_ERROR = ['stop', 'continue'] as const;
const AGENT_MESSAGE = 'agent must be the id of an agent: up to 128 letters, digits and _ . : -';

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
export const IDEMPOTENCY_KEY_MESSAGE = 'Idempotency-Key must be 1 to 255 visible ASCII characters';

function Whole(min: number, max: number) {
  return applyDecorators(IsOptional(), IsInt(), Min(min), Max(max));
}

/** One call in JSON. */
export class CallRequest {
  @IsString() @IsNotEmpty() @MaxLength(256) toolId: string;
  @IsOptional() @FreeObject() arguments?: JsonObject;
  /** Has precedence over `options.onError`. */
  @IsOptional() @IsIn(ON_ERROR) onError?: (typeof ON_ERROR)[number];
}

export class BackoffRequest {
  @IsIn(['fixed', 'exponential']) type: 'fixed' | 'exponential';
  @IsInt() @Min(0) @Max(DAY_MS) delayMs: number;
  @Whole(0, DAY_MS) maxDelayMs?: number;
}

export class OptionsRequest {
  /** 1 is the most urgent. Invocations without a priority come before all others, in order of submission. */
  @Whole(1, 2_097_152) priority?: number;
  @Whole(0, 365 * DAY_MS) delayMs?: number;
  /** A timer of Node can run for 24 days at most. */
  @Whole(1, 24 * DAY_MS) timeoutMs?: number;
  @Whole(1, 25) attempts?: number;
  @IsOptional() @Nested(BackoffRequest) backoff?: BackoffRequest;
  @IsOptional() @IsIn(['sequence', 'parallel']) mode?: 'sequence' | 'parallel';
  /** How many calls may run at the same time in mode `parallel`. */
  @Whole(1, 100) concurrency?: number;
  /** What to do when a call fails. */
  @IsOptional() @IsIn(ON_ERROR) onError?: (typeof ON_ERROR)[number];
  @Whole(200, 10_000_000) maxResultChars?: number;
  /** Invocations of a tenant with different keys share its slots equally. Without it, the agent is the key. */
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(64) fairnessKey?: string;
}

/** The receiver of a message about the end. */
export class CallbackRequest {
  @IsString() @IsNotEmpty() @MaxLength(2_048) url: string;

  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(CALLBACK_EVENTS, { each: true })
  events?: CallbackEvent[];

  @IsOptional() @IsString() @MaxLength(256) secret?: string;
}

/** A file of a submission. Scripts find it in `$ERRAND_IN`. */
export class AttachmentRequest {
  @Matches(/^[^\p{C}/\\.][^\p{C}/\\]{0,199}$/u, {
    message: 'name must be a plain file name of up to 200 characters, not beginning with a dot',
  })
  name: string;

  @IsOptional()
  @Matches(/^[\w.+-]{1,60}\/[\w.+-]{1,60}(; ?[\w=.+"-]{1,60})?$/, {
    message: 'contentType must be one such as text/csv',
  })
  contentType?: string;

  @IsBase64() base64: string;
}

/** POST /v1/invocations: `text`, or `calls`, or one call as `toolId` and `arguments`, or the `message` of a model API. */
export class SubmitRequest {
  @IsOptional() @IsString() text?: string;
  @IsOptional() @IsIn(PROTOCOLS) protocol?: (typeof PROTOCOLS)[number];

  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @Nested(CallRequest, { each: true })
  calls?: CallRequest[];

  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) toolId?: string;
  @IsOptional() @FreeObject() arguments?: JsonObject;
  /** The answer of a model API, unchanged. Its shape is checked when its calls are read. */
  @Allow() message?: unknown;

  @IsOptional() @IsString() @Matches(/^[\w.:-]{1,128}$/, { message: AGENT_MESSAGE }) agent?: string;
  /** A lone surrogate would be stored as another character, so that two sessions could become one. */
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(256)
  @Matches(/^\P{Cs}*$/u, { message: 'session must not hold half of a character (a lone surrogate)' })
  session?: string;
  @IsOptional() @FreeObject() @BoundedKeys(METADATA_KEYS) metadata?: JsonObject;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(32)
  @ArrayUnique(({ name }: AttachmentRequest) => name, { message: 'attachments must have different names' })
  @Nested(AttachmentRequest, { each: true })
  attachments?: AttachmentRequest[];

  @IsOptional() @Nested(OptionsRequest) options?: OptionsRequest;
  @IsOptional() @Nested(CallbackRequest) callback?: CallbackRequest;
}

/** The query of POST /v1/invocations */
export class SubmitQuery {
  /** `true`: say what would run, and run nothing. */
  @IsOptional() @IsIn(['true', 'false']) dryRun?: 'true' | 'false';
}

/** One item of a batch. */
export class BatchItemRequest extends SubmitRequest {
  /** Like the header `Idempotency-Key` of a single submission. */
  @IsOptional() @Matches(IDEMPOTENCY_KEY, { message: IDEMPOTENCY_KEY_MESSAGE }) idempotencyKey?: string;
}

/** POST /v1/invocations/batch: each item is a `BatchItemRequest`, and is checked by itself. */
export class BatchRequest {
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(1_000) items: unknown[];
}
