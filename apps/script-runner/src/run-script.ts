import { Inject, Injectable } from '@nestjs/common';
import { RunnerLogger } from './runner-tokens.js';
import { ToolError, type Json, type Tool } from '@errand/contracts';
import { hintOf, type Logger, type Mask } from '@errand/platform';
import {
  Definitions,
  EventWriter,
  decideRetry,
  JournalWriter,
  Queues,
  storeArtifacts,
  type Outcome,
  type Work,
  type WorkQueue,
} from '@errand/queue';
import { requireOutput } from '@errand/registry';
import { readArchive } from './artifacts/read-archive.js';
import { PrepareRun } from './prepare-run.js';
import { outcomeUnknown, runOnce } from './run-script-once.js';
import { DockerSandbox, type RunHooks } from './sandbox/index.js';

/** The writers of log events and of progress events. */
interface Writers {
  events: EventWriter;
  progress: EventWriter;
}

/** Runs the script of a job, publishes its log lines at once, and returns its outcome. */
@Injectable()
export class RunScript {
  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(Definitions) private readonly definitions: Definitions,
    @Inject(DockerSandbox) private readonly sandbox: DockerSandbox,
    @Inject(PrepareRun) private readonly prepareRun: PrepareRun,
    @Inject(RunnerLogger) private readonly logger: Logger,
  ) {}

  /** @param queue the queue of the job @throws ToolError if the script fails */
  async run(work: Work, queue: WorkQueue): Promise<Outcome> {
    const startedAt = new Date().toISOString();
    const fields = logFieldsOf(work);
    const { invocationId } = fields;
    const events = this.writerFor(invocationId, fields);
    // The progress of a step goes to the worker of its invocation. The worker computes the progress of the invocation.
    const progress = work.record.parent ? this.writerFor(work.id, fields) : events;
    try {
      const result = await this.execute(work, queue, { events, progress });
      this.logger.info({ ...fields, attempt: work.attempt }, 'script succeeded');
      return { steps: [{ status: 'succeeded', result, startedAt, finishedAt: new Date().toISOString() }] };
    } catch (err) {
      this.logHint(work, err);
      this.logger.info({ ...fields, attempt: work.attempt, err }, 'script failed');
      throw err;
    } finally {
      await Promise.all([events.flush(), progress.flush()]);
    }
  }

  /** Logs the hint for the operator. The log and the error of the invocation do not have it. */
  private logHint(work: Work, error: unknown): void {
    const hint = hintOf(error);
    if (hint !== undefined)
      this.logger.warn({ ...logFieldsOf(work), hint }, 'a script failed, and an operator can help');
  }

  private writerFor(id: string, fields: object): EventWriter {
    return new EventWriter(this.queues, id, (err) =>
      this.logger.warn({ ...fields, err }, 'events could not be stored'),
    );
  }

  private async execute(work: Work, queue: WorkQueue, { events, progress }: Writers): Promise<Json> {
    const call = callOf(work);
    const { invocationId } = logFieldsOf(work);
    const { tool, script } = await this.definitions.get(call.digest);
    if (!script) throw new ToolError('ServiceError', `The definition of ${call.toolId} has no script`);
    // A runner of an earlier version left no mark (run-script-once.ts).
    if (work.afterCrash && tool.effects === 'once') throw outcomeUnknown(`The process that ran ${call.toolId} died`);
    const step = work.record.parent?.step ?? 0;
    const log = (lines: string[]) => {
      for (const line of lines) events.emit({ event: 'log', line, stream: 'stderr', step });
    };
    const { toolId } = call;
    const { spec, mask } = await this.prepareRun.prepare({ invocationId, toolId, tool, script, work, onLog: log });
    let archive: Buffer | undefined;
    let hasBegun = false;
    const hooks: RunHooks = {
      signal: work.signal,
      onContainer: (id) => {
        hasBegun = true;
        this.logger.info({ ...logFieldsOf(work), container: id.slice(0, 12) }, 'script begins');
      },
      onLog: (lines) => log(lines.map(mask.text)),
      onProgress: (value, message) =>
        progress.emit({ event: 'progress', value, ...(message && { message: mask.text(message) }) }),
      onArchive: (bytes) => (archive = bytes),
    };
    const reuse = tool.reuse === 'per-tool' && { reuse: `${work.record.tenant} ${call.digest}` };
    const asked = { invocationId, step, toolId, limits: tool.limits ?? {}, ...inputOf(work, tool) };
    const run = () => this.sandbox.run({ ...asked, ...spec, ...reuse }, hooks);
    const runAsDeclared = () => {
      if (tool.effects !== 'once') return run();
      return runOnce(new JournalWriter(this.queues, queue, work.id, work.attempt), toolId, run, () => hasBegun);
    };
    try {
      const result = mask.json(await runAsDeclared());
      // The worker of the invocation checks the result of a step.
      if (!work.record.parent) requireOutput(tool, result);
      return result;
    } catch (error) {
      this.logHint(work, error); // before the mask, which removes the hint
      throw toAttemptError(mask.error(error), work, tool);
    } finally {
      // A failed script can leave files that explain the failure.
      if (archive) await this.storeFiles(archive, mask, { id: invocationId, step }, log);
    }
  }

  private async storeFiles(
    archive: Buffer,
    mask: Mask,
    place: { id: string; step: number },
    log: (lines: string[]) => void,
  ): Promise<void> {
    const { files, unnamable } = await readArchive(archive, mask.text);
    const why = 'not returned, because their names are longer than 200 characters or equal to another name';
    if (unnamable.length > 0) log([`[errand] ${why}: ${unnamable.join(', ')}`]);
    await storeArtifacts(this.queues, place, files);
  }
}

/** @throws ToolError ServiceError if the job has no call */
function callOf({ record }: Work): Work['record']['calls'][number] {
  const [call] = record.calls;
  if (!call) throw new ToolError('ServiceError', 'Internal error: the job of a script has no call');
  return call;
}

/** The fields of each log line about a script. The invocation is that of the step, if the script runs for one. */
function logFieldsOf(work: Work): { invocationId: string; tenant: string; toolId: string } {
  const { parent, tenant } = work.record;
  return { invocationId: parent?.invocationId ?? work.id, tenant, toolId: callOf(work).toolId };
}

/** The value for the script's stdin, and its shortest time limit. */
function inputOf(work: Work, { implementation }: Tool): { input: Json; timeoutMs?: number } {
  const args = callOf(work).arguments;
  const byCaller = implementation.type === 'caller-script';
  const timeouts = [work.record.timeoutMs, byCaller ? args['timeoutMs'] : undefined].filter(
    (timeout) => typeof timeout === 'number',
  );
  return {
    input: byCaller ? (args['inputData'] ?? {}) : args,
    ...(timeouts.length > 0 && { timeoutMs: Math.min(...timeouts) }),
  };
}

/** Returns a ToolError as the error of an attempt, which says whether another attempt follows. */
function toAttemptError(error: unknown, { attempt, suspensions, record }: Work, tool: Tool): unknown {
  if (!(error instanceof ToolError)) return error;
  return decideRetry(error, { attempts: attempt - suspensions, asked: record.retry, own: tool.retry });
}
