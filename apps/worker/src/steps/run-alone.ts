import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, Tool } from '@errand/contracts';
import { runAtOnce } from '@errand/engine';
import { plainArguments } from '@errand/protocol';
import { Definitions, type RecordedCall, type StepOutcome, type Work } from '@errand/queue';
import { Registry, requireOutput } from '@errand/registry';
import { isFirstStart, isOneOfSeveral, stepAttemptsOf } from './step-context.js';

/**
 * Runs an invocation that is one call of a node without effects, with the checks of `RunStep` and without what only other invocations need: a
 * journal, events, progress, a time limit and an order of steps. Together these cost more than such a node.
 */
@Injectable()
export class RunAlone {
  constructor(
    @Inject(Definitions) private readonly definitions: Definitions,
    @Inject(Registry) private readonly registry: Registry,
  ) {}

  /**
   * Returns the outcome of a success; undefined for any other invocation, and after a failure. `RunInvocation` then runs it: code without
   * effects may run again, and a failure is reported completely.
   */
  async run(work: Work): Promise<StepOutcome | undefined> {
    const [call] = work.record.calls;
    if (call?.kind !== 'node' || isOneOfSeveral({ work }) || !isFirstStart(work) || work.signal.aborted)
      return undefined;
    const given = plainArguments(call.arguments);
    if (!given) return undefined;
    const attemptInfo = stepAttemptsOf({ work });
    const tool = await this.toolOf(call);
    if (!tool || tool.effects === 'once' || isOverdue(work)) return undefined;
    const ended = this.runNode(tool, given);
    return ended && { status: 'succeeded', ...ended, ...attemptInfo, finishedAt: new Date().toISOString() };
  }

  private async toolOf({ digest }: RecordedCall): Promise<Tool | undefined> {
    const found = await this.definitions.get(digest).catch(() => undefined);
    return found?.tool;
  }

  private runNode(tool: Tool, given: JsonObject): Pick<StepOutcome, 'result'> | undefined {
    const { implementation } = tool;
    const nodeType = implementation.type === 'node' && this.registry.nodeTypes.get(implementation.nodeType);
    if (!nodeType) return undefined;
    const { arguments: args, problems } = this.registry.validate(tool, given);
    const ended = problems.length === 0 ? runAtOnce(nodeType, args) : undefined;
    if (!ended) return undefined;
    try {
      requireOutput(tool, ended.result);
    } catch {
      return undefined;
    }
    return ended;
  }
}

/** Whether the time limit of the invocation has passed. The code itself returns at once. */
function isOverdue({ record: { timeoutMs }, begunAt }: Work): boolean {
  return timeoutMs !== undefined && Date.now() >= begunAt + timeoutMs;
}
