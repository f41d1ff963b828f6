import type { Delivery } from '@errand/contracts';
import { Queues, readDeliveries, redeliver } from '@errand/queue';
import { Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { findInvocation } from './find-invocation.js';
import { Scope } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import type { RequestScope } from './request-scope.js';

/** Lists and repeats the callback deliveries of an invocation. */
@Controller('v1/invocations/:id/deliveries')
export class DeliveriesController {
  constructor(private readonly queues: Queues) {}

  @Get()
  async list(@Scope() { reach }: RequestScope, @Param('id') id: string): Promise<{ items: Delivery[] }> {
    await findInvocation(this.queues, reach, id);
    return { items: await readDeliveries(this.queues, id) };
  }

  /** Sends the message again in a new delivery. `n` is the index or id of a delivery. */
  @Post(':n/redeliver')
  @HttpCode(HttpStatus.ACCEPTED)
  async redeliver(@Scope() { reach }: RequestScope, @Param('id') id: string, @Param('n') n: string): Promise<Delivery> {
    await findInvocation(this.queues, reach, id);
    const known = await readDeliveries(this.queues, id);
    const wanted = known.find((delivery) => delivery.id === n || `${delivery.index}` === n);
    const repeated = wanted && (await redeliver(this.queues, id, wanted.index));
    if (!repeated) {
      const others = known.length > 0 ? `it has ${known.map(({ index }) => index).join(', ')}` : 'it has none';
      throw new ProblemError('not_found', `The invocation has no delivery ${n.slice(0, 80)}; ${others}`);
    }
    if (repeated === 'waiting')
      throw new ProblemError('conflict', 'The invocation has not ended, so that a callback has nothing to report yet');
    if (repeated === 'exhausted')
      throw new ProblemError('conflict', 'The callback was redelivered too often; Errand keeps each delivery');
    return repeated;
  }
}
