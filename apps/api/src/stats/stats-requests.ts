import { STATS_DIMENSIONS, STATS_METRICS, type StatsDimension, type StatsMetric } from '@errand/contracts';
import type { StatsQuery } from '@errand/queue';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { ProblemError } from '../http/problem-error.js';
import { timeOf, wholeNumber } from '../http/read-parameter.js';

/** GET /v1/stats */
export class StatsRequest {
  @IsIn(STATS_METRICS) metric: StatsMetric;
  @IsOptional() @IsIn(STATS_DIMENSIONS) by?: StatsDimension;
  @IsOptional() @IsString() from?: string;
  @IsOptional() @IsString() to?: string;
  @IsOptional() @IsString() stepMs?: string;
  /** Read with the scope of the request. */
  @IsOptional() @IsString() tenant?: string;
}

const HOUR_MS = 3_600_000;

/** A time of a query, in ISO 8601 or in ms since 1970. */
function readMoment(name: string, text: string | undefined): number | undefined {
  return text !== undefined && /^\d{10,15}$/.test(text) ? Number(text) : timeOf(name, text);
}

/** The query of a request: the last hour by default. @throws ProblemError invalid_request for a malformed time or step */
export function readStatsQuery({ metric, by, ...given }: StatsRequest, now: number): StatsQuery {
  const to = readMoment('to', given.to) ?? now;
  const from = readMoment('from', given.from) ?? to - HOUR_MS;
  if (from > to) throw new ProblemError('invalid_request', 'from must not be later than to; exchange the two times');
  const stepMs = wholeNumber('stepMs', given.stepMs, 0);
  if (given.stepMs !== undefined && stepMs === 0)
    throw new ProblemError('invalid_request', 'stepMs must be 1 or more; leave it out for the finest step');
  return { metric, by, from, to, stepMs };
}
