import type { Stats, ToolStats } from '@errand/contracts';
import { Queues, readStats, readToolStats } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { Scope } from '../http/guard-access.js';
import type { RequestScope } from '../http/request-scope.js';
import { requireTool } from '../http/require-tool.js';
import { readStatsQuery, StatsRequest } from './stats-requests.js';

/** What was accepted, refused and has ended over time, of the tenant of the request. */
@Controller('v1')
export class StatsController {
  constructor(
    private readonly queues: Queues,
    private readonly registry: Registry,
  ) {}

  @Get('stats')
  overTime(@Query() request: StatsRequest, @Scope() { tenant, reach }: RequestScope): Promise<Stats> {
    const now = Date.now();
    return readStats(this.queues, { tenant, reach }, readStatsQuery(request, now), now);
  }

  /** The calls of a tool in the last 30 days, of all its versions. */
  @Get('tools/:id/stats')
  ofTool(@Param('id') id: string, @Scope() { tenant }: RequestScope): Promise<ToolStats> {
    const { toolId } = requireTool(this.registry, id, {});
    return readToolStats(this.queues, tenant, toolId);
  }
}
