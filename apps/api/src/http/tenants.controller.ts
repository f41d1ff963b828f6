import { isTenantName } from '@errand/platform';
import { Queues, readWeight, setWeight, WEIGHT_BOUNDS } from '@errand/queue';
import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { IsNumber, Max, Min } from 'class-validator';
import { ProblemError } from './problem-error.js';

/** PATCH /v1/tenants/:id */
export class TenantRequest {
  @IsNumber({ allowInfinity: false, allowNaN: false })
  @Min(WEIGHT_BOUNDS.least)
  @Max(WEIGHT_BOUNDS.most)
  weight: number;
}

/** What the operator sets for a tenant. `guardAccess` refuses everybody else. */
@Controller('v1/tenants')
export class TenantsController {
  constructor(private readonly queues: Queues) {}

  @Get(':id')
  async one(@Param('id') id: string): Promise<{ id: string; weight: number }> {
    requireTenant(id);
    return { id, weight: await readWeight(this.queues, id) };
  }

  @Patch(':id')
  async change(@Param('id') id: string, @Body() { weight }: TenantRequest): Promise<{ id: string; weight: number }> {
    requireTenant(id);
    await setWeight(this.queues, id, weight);
    return { id, weight };
  }
}

function requireTenant(id: string): void {
  if (isTenantName(id)) return;
  const detail = `'${id.slice(0, 80)}' is not the name of a tenant, which has up to 63 characters of a-z, 0-9, _ and -`;
  throw new ProblemError('not_found', detail);
}
