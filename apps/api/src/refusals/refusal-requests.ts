import { PROBLEM_CODES, type ProblemCode, type RefusalGroup } from '@errand/contracts';
import { IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';

/** The codes of refusals. */
export const REFUSAL_CODES = Object.keys(PROBLEM_CODES).filter(
  (code) => PROBLEM_CODES[code as ProblemCode].status === 422 || code === 'invalid_request',
);
export const REFUSAL_GROUPS = ['tool', 'parameter', 'code', 'agent'] as const satisfies readonly RefusalGroup[];

/** A time range, which a reader checks. The scope of the request has read `tenant`. */
class RangeQuery {
  @IsOptional() @IsString() @IsNotEmpty() from?: string;
  @IsOptional() @IsString() @IsNotEmpty() to?: string;
  @IsOptional() @IsString() tenant?: string;
}

/** GET /v1/refusals */
export class RefusalsQuery extends RangeQuery {
  @IsOptional() @IsIn(REFUSAL_CODES) code?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) toolId?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) agent?: string;
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(256) session?: string;
  @IsOptional() @IsString() limit?: string;
  @IsOptional() @IsString() cursor?: string;
}

/** GET /v1/refusals/summary */
export class RefusalSummaryQuery extends RangeQuery {
  @IsIn(REFUSAL_GROUPS) by: RefusalGroup;
}
