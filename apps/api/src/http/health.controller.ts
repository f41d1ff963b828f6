import { checkOf, readinessOf, Metrics } from '@errand/platform';
import { countRunners, Queues } from '@errand/queue';
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

  /** Whether a submission would be accepted now, and if not, why; and how many script-runners are alive, by what they offer. */
  @Get('readyz')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const [redis, runners] = await Promise.all([
      checkOf(this.queues.redis.ping(), 'Redis does not answer'),
      countRunners(this.queues).catch(() => undefined),
    ]);
    const readiness = readinessOf({ redis });
    void reply.status(readiness.ready ? 200 : 503).send({ ...readiness, ...(runners && { runners }) });
  }
}

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  /** What Prometheus reads. */
  @Get()
  async read(@Res() reply: FastifyReply): Promise<void> {
    void reply.header('content-type', this.metrics.contentType).send(await this.metrics.text());
  }
}
