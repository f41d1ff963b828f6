import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
} from 'class-validator';
import { BULK_KINDS, INVOCATION_ID, type BulkKind, type JsonObject } from '@errand/contracts';
import { FreeObject } from '../http/dto.js';

/** The most invocations that a dry run may name. A filter finds more. */
export const MOST_IDS = 10_000;

/** POST /v1/bulk: a dry run (`action`, and `filter` or `ids`), or its `token`. */
export class BulkRequest {
  @IsOptional() @IsIn(BULK_KINDS) action?: BulkKind;
  /** The filters of the list of invocations. */
  @IsOptional() @FreeObject() filter?: JsonObject;
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_IDS)
  @IsString({ each: true })
  @Matches(INVOCATION_ID, { each: true, message: 'each of ids must be the id of an invocation, such as inv_01…' })
  ids?: string[];
  @IsOptional() @IsBoolean() dryRun?: boolean;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(100) token?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(200) name?: string;
}

/** GET /v1/bulk */
export class BulkListQuery {
  @IsOptional() @IsString() limit?: string;
  @IsOptional() @IsString() cursor?: string;
  /** Read with the scope of the request. */
  @IsOptional() @IsString() tenant?: string;
}
