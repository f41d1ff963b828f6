import { ToolError, type Definition, type Impact } from '@errand/contracts';
import { Definitions, Queues, readImpact, type StoredInvocation } from '@errand/queue';
import { Controller, Get, Param } from '@nestjs/common';
import { findInvocation } from './find-invocation.js';
import { Scope } from './guard-access.js';
import type { RequestScope } from './request-scope.js';

/** Says what a cancel of an invocation would touch, before it is sent. */
@Controller('v1/invocations/:id/impact')
export class ImpactController {
  constructor(
    private readonly queues: Queues,
    private readonly definitions: Definitions,
  ) {}

  @Get()
  async read(@Scope() { reach }: RequestScope, @Param('id') id: string): Promise<Impact> {
    const invocation = await findInvocation(this.queues, reach, id);
    const [impact, effectsDone] = await Promise.all([
      readImpact(this.queues, invocation),
      this.effectsDone(invocation),
    ]);
    return { ...impact, effectsDone };
  }

  /** The steps that have succeeded and whose tool declares an effect. A deduplicated step had none of its own. */
  private async effectsDone({ steps, record }: StoredInvocation): Promise<Impact['effectsDone']> {
    const done = steps.filter((step) => step.status === 'succeeded' && !step.deduplicatedFrom);
    const declared = await Promise.all(done.map(({ index }) => this.definitionOf(record.calls[index]?.digest)));
    return done.flatMap(({ index, toolId }, n) => {
      const effects = declared[n]?.tool.effects ?? 'none';
      return effects === 'none' ? [] : [{ step: index, toolId }];
    });
  }

  /** Undefined for a definition that is not stored any more. */
  private async definitionOf(digest: string | undefined): Promise<Definition | undefined> {
    if (digest === undefined) return undefined;
    return this.definitions.get(digest).catch((error: unknown) => {
      if (error instanceof ToolError) return undefined;
      throw error;
    });
  }
}
