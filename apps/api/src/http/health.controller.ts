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
    const redis = await this.queues.redis.ping().then(
      () => 'ok',
      (error: unknown) => `Redis does not answer: ${error instanceof Error ? error.message : String(error)}`,
    );
    const ready = redis === 'ok';
    void reply.status(ready ? 200 : 503).send({ ready, checks: { redis } });
  }
}
