import { ArrayMaxSize, IsArray, IsIn, IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { TOOL_KINDS, type JsonObject, type ToolKind } from '@errand/contracts';
import { FreeObject, Nested } from './dto.js';
import { PROTOCOLS } from './submission-requests.js';

const NAMESPACE_MESSAGE = 'namespace must be the part of a tool id before the colon, such as core';
const WORKFLOW_ID_MESSAGE = 'workflowId must be letters, digits and _ . / -, such as morning-report';

/** A tool for one dry run. */
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

/** GET /v1/tools */
export class CatalogueQuery {
  @IsOptional() @Matches(/^[\w-]+$/, { message: NAMESPACE_MESSAGE }) namespace?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(128) tag?: string;
  @IsOptional() @IsIn(TOOL_KINDS) kind?: ToolKind;
  @IsOptional() @IsString() @IsNotEmpty() agent?: string;
  @IsOptional() @IsString() @MaxLength(512) q?: string;
  @IsOptional() @IsString() limit?: string;
  @IsOptional() @IsString() cursor?: string;
  @IsOptional() @IsIn(['true', 'false']) details?: 'true' | 'false';
}

/** GET /v1/tools/:id/graph */
export class ToolQuery {
  @IsOptional() @IsString() @IsNotEmpty() agent?: string;
}

/** GET /v1/tools/:id */
export class OneToolQuery extends ToolQuery {
  @IsOptional() @IsIn(['true', 'false']) details?: 'true' | 'false';
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
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) toolId?: string;
  @IsOptional() @IsString() @MaxLength(512) q?: string;
  @IsOptional() @IsString() limit?: string;
}

type PromptFormat = 'action' | 'tam' | 'openai' | 'anthropic' | 'mcp' | 'json';
