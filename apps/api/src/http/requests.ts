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
import { CALLBACK_EVENTS, type CallbackEvent, type Json, type JsonObject, type ToolKind } from '@errand/contracts';
import { FreeObject, Nested } from './dto.js';

const DAY_MS = 86_400_000;
const ON_ERROR = ['stop', 'continue'] as const;
const PROTOCOLS = ['auto', 'action', 'tam', 'tam2', 'vcp'] as const;

function Whole(min: number, max: number) {
  return applyDecorators(IsOptional(), IsInt(), Min(min), Max(max));
}

export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
export const IDEMPOTENCY_KEY_MESSAGE = 'Idempotency-Key must be 1 to 255 visible ASCII characters';

const AGENT_MESSAGE = 'agent must be the id of an agent: up to 128 letters, digits and _ . : -';

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
  @IsOptional() @IsString() @MaxLength(256) session?: string;
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

/** GET /v1/invocations/:id/result */
export class ResultQuery {
  @IsOptional() @IsString() @MaxLength(4_000) path?: string;
  /** The words that are looked for. */
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) q?: string;
  @IsOptional() @IsString() offset?: string;
  @IsOptional() @IsString() limit?: string;
}

/** A tool given for one dry run. */
export class ParseToolRequest {
  @IsString() @IsNotEmpty() @MaxLength(256) toolId: string;
  @IsOptional() @IsString() description?: string;
  @IsOptional() @FreeObject() parameters?: JsonObject;
}

/** POST /v1/parse */
export class ParseRequest {
  @IsString() text: string;
  @IsOptional() @IsIn(PROTOCOLS) protocol?: (typeof PROTOCOLS)[number];
  @IsOptional() @IsString() agent?: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @Nested(ParseToolRequest, { each: true })
  tools?: ParseToolRequest[];
}

const NAMESPACE_MESSAGE = 'namespace must be what stands before the colon of an id, such as core';
const WORKFLOW_ID_MESSAGE = 'workflowId must be letters, digits and _ . / -, such as morning-report';

/** GET /v1/tools */
export class CatalogueQuery {
  @IsOptional() @Matches(/^[\w-]+$/, { message: NAMESPACE_MESSAGE }) namespace?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(128) tag?: string;
  @IsOptional() @IsIn(['node', 'workflow', 'service', 'script', 'external']) kind?: ToolKind;
  @IsOptional() @IsString() @IsNotEmpty() agent?: string;
  @IsOptional() @IsString() @MaxLength(512) q?: string;
  @IsOptional() @IsString() limit?: string;
  @IsOptional() @IsString() cursor?: string;
}

/** GET /v1/tools/:id */
export class ToolQuery {
  @IsOptional() @IsString() @IsNotEmpty() agent?: string;
}

/** POST /v1/tools/preview */
export class PreviewRequest {
  @Matches(/^[\p{L}\p{N}_][\p{L}\p{N}_./-]{0,200}$/u, { message: WORKFLOW_ID_MESSAGE }) workflowId: string;
  @FreeObject() workflow: JsonObject;
}

/** GET /v1/tools/prompt */
export class PromptQuery {
  @IsOptional() @IsString() agent?: string;
  @IsOptional() @IsIn(['action', 'tam', 'openai', 'anthropic', 'mcp', 'json']) format?: PromptFormat;
  @IsOptional() @IsString() maxChars?: string;
  @IsOptional() @IsString() @MaxLength(512) q?: string;
  @IsOptional() @IsString() limit?: string;
}

export type PromptFormat = 'action' | 'tam' | 'openai' | 'anthropic' | 'mcp' | 'json';
