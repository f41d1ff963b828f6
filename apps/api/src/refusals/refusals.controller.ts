import { isRefusalId, REFUSAL_ID, partialOf, type Refusal, type RefusalSummary } from '@errand/contracts';
import { listRefusals, Queues, readRefusal, sumRefusals } from '@errand/queue';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiConfiguration } from '../api-tokens.js';
import { By, Scope } from '../http/guard-access.js';
import { readKeysetCursor, toKeysetCursor } from '../http/keyset-cursor.js';
import type { PartialPage } from '../http/page-of.js';
import { ProblemError } from '../http/problem-error.js';
import { timeOf, wholeNumber } from '../http/read-parameter.js';
import type { RequestScope } from '../http/request-scope.js';
import type { Caller } from '../login/callers.js';
import { requireScope } from '../login/require-scope.js';
import { RefusalsQuery, RefusalSummaryQuery } from './refusal-requests.js';

const DEFAULT_LIMIT = 20;
/** A refusal can have over 64 KiB. */
const MAX_LIMIT = 100;

/** The submissions that were refused with 422. */
@Controller('v1/refusals')
export class RefusalsController {
  constructor(
    private readonly queues: Queues,
    private readonly settings: ApiConfiguration,
  ) {}

  /** Lists refusals, newest first. */
  @Get()
  async list(
    @Scope() { tenant }: RequestScope,
    @By() caller: Caller,
    @Query() { limit, cursor, code, toolId, agent, session, ...range }: RefusalsQuery,
  ): Promise<PartialPage<Refusal> & { kept?: false }> {
    requireScope(caller, 'read');
    const given = Object.entries({ code, toolId, agent, session, ...readRange(range) });
    const query = Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    const owner = { list: 'refusals', tenant, query };
    const { ERRAND_REFUSALS_COUNT: count, ERRAND_REFUSALS_AGE: ageSeconds } = this.settings;
    const request = { limit: readLimit(limit), after: readKeysetCursor(cursor, owner, REFUSAL_ID), ageSeconds };
    const { items, next, missing } = await listRefusals(this.queues, tenant, query, request);
    return {
      items,
      nextCursor: toKeysetCursor(owner, next),
      ...partialOf(missing),
      ...(count === 0 && { kept: false }),
    };
  }

  /** How often each tool, parameter, code or agent was refused, and how often its session recovered. */
  @Get('summary')
  async summary(
    @Scope() { tenant }: RequestScope,
    @By() caller: Caller,
    @Query() { by, ...range }: RefusalSummaryQuery,
  ): Promise<PartialPage<RefusalSummary>> {
    requireScope(caller, 'read');
    const { ERRAND_REFUSALS_AGE: ageSeconds } = this.settings;
    const { items, missing } = await sumRefusals(this.queues, tenant, { by, ageSeconds, ...readRange(range) });
    return { items, nextCursor: null, ...partialOf(missing) };
  }

  @Get(':id')
  async one(@Scope() { tenant }: RequestScope, @By() caller: Caller, @Param('id') id: string): Promise<Refusal> {
    requireScope(caller, 'read');
    const found = isRefusalId(id)
      ? await readRefusal(this.queues, tenant, id, this.settings.ERRAND_REFUSALS_AGE)
      : undefined;
    if (found) return found;
    throw new ProblemError('not_found', `There is no refusal ${id.slice(0, 80)}; it may be too old to be kept`);
  }
}

function readRange({ from, to }: { from?: string; to?: string }): { from?: number; to?: number } {
  const [begin, end] = [timeOf('from', from), timeOf('to', to)];
  if (begin !== undefined && end !== undefined && begin > end)
    throw new ProblemError('invalid_request', 'from must not be later than to; exchange the two times');
  return { ...(begin !== undefined && { from: begin }), ...(end !== undefined && { to: end }) };
}

function readLimit(text: string | undefined): number {
  const limit = wholeNumber('limit', text, DEFAULT_LIMIT);
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new ProblemError('invalid_request', `limit must be from 1 to ${MAX_LIMIT}, not ${limit}`);
}
