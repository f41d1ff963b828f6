import { ToolError, toFailure, type JsonObject } from '@errand/contracts';
import { withLogContext, type Logger } from '@errand/platform';
import { resolveTemplates, stepsReferredTo } from '@errand/protocol';
import {
  EventWriter,
  JournalWriter,
  Queues,
  readJournal,
  type Outcome,
  type StepOutcome,
  type Work,
} from '@errand/queue';
import { AwaitInvocation } from './await-invocation.js';
import { RunStep } from './run-step.js';
import type { StepContext } from './step-context.js';

/**
 * Runs the calls of one invocation, in order or side by side. Of several calls each outcome is journaled before what follows
 * it begins, so that a worker that takes over goes on from there. The first failure ends a sequence.
 */
export class RunInvocation {
  constructor(
    private readonly queues: Queues,
    private readonly runStep: RunStep,
    private readonly awaitInvocation: AwaitInvocation,
    private readonly logger: Logger,
  ) {}

  /** @throws ToolError of the step that failed first, with its number in `details.step` where there are several */
  run(work: Work): Promise<Outcome> {
    return withLogContext({ invocationId: work.id, tenant: work.record.tenant }, () => this.runLogged(work));
  }

  private async runLogged(work: Work): Promise<Outcome> {
    const events = new EventWriter(this.queues, work.id, (err) =>
      this.logger.warn({ err }, 'events could not be stored'),
    );
    const tools = work.record.calls.map((call) => call.toolId);
    try {
      const steps = await this.runSteps(work, events);
      this.logger.info({ tools, attempt: work.attempt }, 'invocation succeeded');
      return { steps };
    } catch (err) {
      this.logger.info({ tools, attempt: work.attempt, err }, 'invocation failed');
      throw err;
    } finally {
      await events.flush();
    }
  }

  private async runSteps(work: Work, events: EventWriter): Promise<StepOutcome[]> {
    const { calls, mode, timeoutMs } = work.record;
    const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const signal = deadline ? AbortSignal.any([work.signal, deadline]) : work.signal;
    const done =
      calls.length > 1 && work.attempt > 1 ? await this.journaledSteps(work.id) : new Map<number, StepOutcome>();
    const journal = new JournalWriter(this.queues, 'invocations', work.id, work.attempt);
    const started: Promise<StepOutcome>[] = [];
    for (const index of calls.keys()) {
      const before =
        mode === 'sequence' ? started.slice(-1) : stepsReferredTo(calls[index]!.arguments).map((n) => started[n]!);
      started.push(
        Promise.all(before).then(
          () => done.get(index) ?? this.oneStep({ work, index, signal, events, journal }, started),
        ),
      );
    }
    const settled = await Promise.allSettled(started);
    const failed = settled.find((outcome) => outcome.status === 'rejected');
    if (!failed) return Promise.all(started);
    if (deadline?.aborted)
      throw new ToolError('TimeoutError', `The invocation did not end within its limit of ${timeoutMs} ms`);
    throw failed.reason;
  }

  private async oneStep(context: StepContext, started: readonly Promise<StepOutcome>[]): Promise<StepOutcome> {
    const { index, work, events, journal } = context;
    const several = work.record.calls.length > 1;
    const startedAt = new Date().toISOString();
    const finish = async (outcome: StepOutcome): Promise<StepOutcome> => {
      const ended = { ...outcome, startedAt, finishedAt: new Date().toISOString(), attempts: work.attempt };
      if (several) await journal.write([[`${index}`, ended]]);
      if (several) events.emit({ event: 'step', index, status: ended.status });
      return ended;
    };
    if (several) {
      await journal.write([[`${index}`, { status: 'running', startedAt }]]);
      events.emit({ event: 'step', index, status: 'running' });
    }
    try {
      const args = await this.resolveArguments(context, started);
      return await finish({ status: 'succeeded', result: await this.runStep.run(context, args) });
    } catch (error) {
      const failure = toFailure(error, 'ServiceError');
      await finish({ status: failure.type === 'CancelledError' ? 'cancelled' : 'failed', error: failure });
      throw several ? new ToolError(failure.type, failure.message, { ...failure.details, step: index }) : error;
    }
  }

  private resolveArguments(
    { work, index, signal }: StepContext,
    started: readonly Promise<StepOutcome>[],
  ): Promise<JsonObject> {
    return resolveTemplates(work.record.calls[index]!.arguments, {
      step: async (n) => (await started[n]!).result ?? null,
      job: (id) => this.awaitInvocation.result(work.record.tenant, id, signal),
    });
  }

  private async journaledSteps(id: string): Promise<Map<number, StepOutcome>> {
    const fields = [...(await readJournal(this.queues, id))].filter(([field]) => /^\d+$/.test(field));
    const steps = fields.map(([field, text]) => [Number(field), JSON.parse(text) as StepOutcome] as const);
    return new Map(steps.filter(([, outcome]) => outcome.status === 'succeeded'));
  }
}
