import { ToolError, type Definition, type StepGraph, type Timeline } from '@errand/contracts';
import { Definitions, Queues } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Controller, Get, Param } from '@nestjs/common';
import { readTimeline } from '../stream/read-timeline.js';
import { graphOfStep } from '../tools/step-graph.js';
import { findInvocation } from './find-invocation.js';
import { Scope } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';

/** Reads what the steps of an invocation run. */
@Controller('v1/invocations/:id')
export class StepsController {
  constructor(
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly registry: Registry,
  ) {}

  /** The graph of the stored definition with the states of its nodes. The file of the tool may have changed since. */
  @Get('steps/:step/graph')
  async graph(
    @Scope() { reach }: RequestScope,
    @Param('id') id: string,
    @Param('step') number: string,
  ): Promise<StepGraph> {
    const index = wholeNumber('The number of the step', number, 0);
    const { record, steps } = await findInvocation(this.queues, reach, id);
    const [call, step] = [record.calls[index], steps[index]];
    if (!call || !step)
      throw new ProblemError(
        'not_found',
        `The invocation has no step ${index}; its steps are 0 to ${steps.length - 1}`,
      );
    const graph = graphOfStep(await this.read(call.digest), step, this.registry.nodeTypes);
    if (graph) return graph;
    const detail = `Step ${index} calls ${call.toolId} of the kind '${call.kind}'; only workflows and nodes have a graph`;
    throw new ProblemError('conflict', detail);
  }

  /** When the invocation, its steps and their nodes have changed their status. */
  @Get('timeline')
  async timeline(@Scope() { reach }: RequestScope, @Param('id') id: string): Promise<Timeline> {
    const invocation = await findInvocation(this.queues, reach, id);
    return readTimeline(this.queues, invocation.id);
  }

  private async read(digest: string): Promise<Definition> {
    try {
      return await this.definitions.get(digest);
    } catch (error) {
      if (!(error instanceof ToolError) || error.type !== 'LostError') throw error;
      const detail =
        'The definition that this step ran with is not stored any more; it expires 90 days after its last use';
      throw new ProblemError('not_found', detail);
    }
  }
}
