import { checkOf, readinessOf, Metrics } from '@errand/platform';
import { countRunners, Queues } from '@errand/queue';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Liveness, readiness and metrics. */
@Controller()
export class HealthController {
  constructor(
    private readonly queues: Queues,
    private readonly metrics: Metrics,
  ) {}

  /** Liveness of this process, without a check of Redis. */
  @Get('healthz')
  live() {
    return { status: 'ok' };
  }

  /** Whether a submission would be accepted now, the reason if not, and the number of live script-runners by label. */
  @Get('readyz')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const [redis, runners] = await Promise.all([
      checkOf(this.queues.redis.ping(), 'Redis does not answer'),
      countRunners(this.queues).catch(() => undefined),
    ]);
    const readiness = readinessOf({ redis });
    void reply.status(readiness.ready ? 200 : 503).send({ ...readiness, ...(runners && { runners }) });
  }

  /** The metrics in the text format of Prometheus. */
  @Get('metrics')
  async text(@Res() reply: FastifyReply): Promise<void> {
    void reply.header('content-type', this.metrics.contentType).send(await this.metrics.text());
  }
}
