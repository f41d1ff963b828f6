import { Metrics } from '@errand/platform';
import { Queues } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiLogger } from '../api-tokens.js';
import { readReadiness } from './read-readiness.js';

/** Liveness, readiness and metrics. */
@Controller()
export class HealthController {
  constructor(
    private readonly queues: Queues,
    private readonly metrics: Metrics,
    private readonly registry: Registry,
    private readonly logger: ApiLogger,
  ) {}

  /** Liveness of this process, without a check of Redis. */
  @Get('healthz')
  live() {
    return { status: 'ok' };
  }

  /** Whether a submission would be accepted now, the reason if not, and whether somebody takes the accepted work. */
  @Get('readyz')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const readiness = await readReadiness(this.queues, this.registry, this.logger);
    void reply.status(readiness.ready ? 200 : 503).send(readiness);
  }

  /** The metrics in the text format of Prometheus. */
  @Get('metrics')
  async text(@Res() reply: FastifyReply): Promise<void> {
    void reply.header('content-type', this.metrics.contentType).send(await this.metrics.text());
  }
}
