import { Metrics } from '@errand/platform';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  /** What Prometheus reads. */
  @Get()
  async read(@Res() reply: FastifyReply): Promise<void> {
    void reply.header('content-type', this.metrics.contentType).send(await this.metrics.text());
  }
}
