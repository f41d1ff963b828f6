import { checkOf, readinessOf } from '@errand/platform';
import { Queues } from '@errand/queue';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

@Controller()
export class HealthController {
  constructor(private readonly queues: Queues) {}

  /** The process lives; says nothing of what it needs. */
  @Get('healthz')
  live() {
    return { status: 'ok' };
  }

  /** Whether a submission would be accepted now, and if not, why. */
  @Get('readyz')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const readiness = readinessOf({ redis: await checkOf(this.queues.redis.ping(), 'Redis does not answer') });
    void reply.status(readiness.ready ? 200 : 503).send(readiness);
  }
}
