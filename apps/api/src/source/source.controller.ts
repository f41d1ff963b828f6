import type { InvocationSource } from '@errand/contracts';
import { Queues } from '@errand/queue';
import { Controller, Get, Param } from '@nestjs/common';
import { findInvocation } from '../http/find-invocation.js';
import { Scope } from '../http/guard-access.js';
import type { RequestScope } from '../http/request-scope.js';
import { ReadSourceText } from './read-source-text.js';

/** The texts that invocations came as. */
@Controller('v1/invocations/:id/source')
export class SourceController {
  constructor(
    private readonly queues: Queues,
    private readonly texts: ReadSourceText,
  ) {}

  @Get()
  async read(@Scope() { reach }: RequestScope, @Param('id') id: string): Promise<InvocationSource> {
    return this.texts.read(await findInvocation(this.queues, reach, id));
  }
}
