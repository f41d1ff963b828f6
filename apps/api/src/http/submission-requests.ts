import { applyDecorators } from '@nestjs/common';
import {
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
import { FreeObject, Nested } from './dto.js';
import { PROTOCOLS } from './protocols.js';

const DAY_MS = 86_400_000;
const ON_ERROR = ['stop', 'continue'] as const;
const AGENT_MESSAGE = 'agent must be the id of an agent: up to 128 letters, digits and _ . : -';

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
export const IDEMPOTENCY_KEY_MESSAGE = 'Idempotency-Key must be 1 to 255 visible ASCII characters';

function Whole(min: number, max: number) {
  return applyDecorators(IsOptional(), IsInt(), Min(min), Max(max));
}

/** One call by JSON. */
export class CallRequest {
  @IsString() @IsNotEmpty() @MaxLength(256) toolId: string;
  @IsOptional() @FreeObject() arguments?: JsonObject;
  /** Goes before `options.onError`. */
  @IsOptional() @IsIn(ON_ERROR) onError?: (typeof ON_ERROR)[number];
}

export class BackoffRequest {
  @IsIn(['fixed', 'exponential']) type: 'fixed' | 'exponential';
  @IsInt() @Min(0) @Max(DAY_MS) delayMs: number;
  @Whole(0, DAY_MS) maxDelayMs?: number;
}

export class OptionsRequest {
  /** 1 is the most urgent; without one, first come, first served, ahead of all that have one. */
  @Whole(1, 2_097_152) priority?: number;
  @Whole(0, 365 * DAY_MS) delayMs?: number;
  /** No timer goes further than 24 days. */
  @Whole(1, 24 * DAY_MS) timeoutMs?: number;
  @Whole(1, 25) attempts?: number;
  @IsOptional() @Nested(BackoffRequest) backoff?: BackoffRequest;
  @IsOptional() @IsIn(['sequence', 'parallel']) mode?: 'sequence' | 'parallel';
  /** Of calls side by side: how many at a time. */
  @Whole(1, 100) concurrency?: number;
  /** What follows where a call fails. */
  @IsOptional() @IsIn(ON_ERROR) onError?: (typeof ON_ERROR)[number];
  @Whole(200, 10_000_000) maxResultChars?: number;
}

/** Whom to tell of the end. */
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

/** A file that comes with a submission: its scripts find it in `$ERRAND_IN`. */
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

/** POST /v1/invocations: `text`, or `calls`, or one call as `toolId` and `arguments`. */
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

  @IsOptional() @IsString() @Matches(/^[\w.:-]{1,128}$/, { message: AGENT_MESSAGE }) agent?: string;
  /** Half a character would be kept as another one, and sessions be taken for each other. */
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(256)
  @Matches(/^\P{Cs}*$/u, { message: 'session must not hold half of a character (a lone surrogate)' })
  session?: string;
  @IsOptional() @FreeObject() metadata?: JsonObject;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(32)
  @ArrayUnique(({ name }: AttachmentRequest) => name, { message: 'attachments must each have a name of their own' })
  @Nested(AttachmentRequest, { each: true })
  attachments?: AttachmentRequest[];

  @IsOptional() @Nested(OptionsRequest) options?: OptionsRequest;
  @IsOptional() @Nested(CallbackRequest) callback?: CallbackRequest;
}

/** One item of a batch. */
export class BatchItemRequest extends SubmitRequest {
  /** As the header of that name of a single submission. */
  @IsOptional() @Matches(IDEMPOTENCY_KEY, { message: IDEMPOTENCY_KEY_MESSAGE }) idempotencyKey?: string;
}

/** POST /v1/invocations/batch: each item is a `BatchItemRequest`, and judged on its own. */
export class BatchRequest {
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(1_000) items: unknown[];
}
