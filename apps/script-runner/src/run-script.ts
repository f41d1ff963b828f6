import { ToolError, type Json, type Tool } from '@errand/contracts';
import { withLogContext, type Logger } from '@errand/platform';
import { Definitions, EventWriter, decideRetry, Queues, storeArtifacts, type Outcome, type Work } from '@errand/queue';
import { requireOutput } from '@errand/registry';
import { hintOf } from './hinted-error.js';
import { readArchive } from './artifacts/read-archive.js';
import type { PrepareRun } from './prepare-run.js';
import type { DockerSandbox, RunHooks } from './sandbox/index.js';

/** Where a run is told of: its log, and how much of it is done. */
interface Writers {
  events: EventWriter;
  progress: EventWriter;
}

/** Runs the one script that a job asks for, tells its log lines as they come, and gives its outcome. */
export class RunScript {
  constructor(
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly sandbox: DockerSandbox,
    private readonly prepareRun: PrepareRun,
    private readonly logger: Logger,
  ) {}

  /** @throws ToolError as the script failed */
  run(work: Work): Promise<Outcome> {
    const invocationId = work.record.parent?.invocationId ?? work.id;
    return withLogContext({ invocationId, tenant: work.record.tenant }, () => this.runLogged(work, invocationId));
  }

  private async runLogged(work: Work, invocationId: string): Promise<Outcome> {
    const startedAt = new Date().toISOString();
    const events = this.writerFor(invocationId);
    // How much of a step is done is told to the worker that asked for it: the invocation is more than that.
    const progress = work.record.parent ? this.writerFor(work.id) : events;
    const toolId = work.record.calls[0]!.toolId;
    try {
      const result = await this.execute(work, invocationId, { events, progress });
      this.logger.info({ toolId, attempt: work.attempt }, 'script succeeded');
      return { steps: [{ status: 'succeeded', result, startedAt, finishedAt: new Date().toISOString() }] };
    } catch (err) {
      this.logHint(toolId, err);
      this.logger.info({ toolId, attempt: work.attempt, err }, 'script failed');
      throw err;
    } finally {
      await Promise.all([events.flush(), progress.flush()]);
    }
  }

  /** Writes what an operator can do about a failure. Neither the invocation's log nor its error shows it. */
  private logHint(toolId: string, error: unknown): void {
    const hint = hintOf(error);
    if (hint !== undefined) this.logger.warn({ toolId, hint }, 'a script failed, and an operator can help');
  }

  private writerFor(id: string): EventWriter {
    return new EventWriter(this.queues, id, (err) => this.logger.warn({ err }, 'events could not be stored'));
  }

  private async execute(work: Work, invocationId: string, { events, progress }: Writers): Promise<Json> {
    const call = work.record.calls[0]!;
    const { tool, script } = await this.definitions.get(call.digest);
    if (!script) throw new ToolError('ServiceError', `The definition of ${call.toolId} holds no script`);
    if (work.afterCrash && tool.effects === 'once') throw outcomeUnknown(call.toolId);
    const step = work.record.parent?.step ?? 0;
    const tell = (lines: string[]) => {
      for (const line of lines) events.emit({ event: 'log', line, stream: 'stderr', step });
    };
    const { toolId } = call;
    const { spec, mask } = await this.prepareRun.prepare({ invocationId, toolId, tool, script, work, tell });
    let archive: Buffer | undefined;
    const hooks: RunHooks = {
      signal: work.signal,
      onContainer: (id) => this.logger.info({ toolId, container: id.slice(0, 12) }, 'script begins'),
      onLog: (lines) => tell(lines.map(mask.text)),
      onProgress: (value, message) =>
        progress.emit({ event: 'progress', value, ...(message && { message: mask.text(message) }) }),
      onArchive: (bytes) => (archive = bytes),
    };
    const reuse = tool.reuse === 'per-tool' && { reuse: `${work.record.tenant} ${call.digest}` };
    const asked = { invocationId, step, toolId, limits: tool.limits ?? {}, ...inputOf(work, tool) };
    try {
      const result = mask.json(await this.sandbox.run({ ...asked, ...spec, ...reuse }, hooks));
      // The result of a step is checked by the worker that asked for it.
      if (!work.record.parent) requireOutput(tool, result);
      return result;
    } catch (error) {
      this.logHint(toolId, error); // before it is masked, which leaves the caller's part of it
      throw judge(mask.error(error), work, tool);
    } finally {
      // Also of a script that failed: what it left may say why.
      if (archive) {
        const { files, unnamable } = await readArchive(archive, mask.text);
        if (unnamable.length > 0)
          tell([
            `[errand] not handed out, for their names are longer than 200 characters or like those of others: ${unnamable.join(', ')}`,
          ]);
        await storeArtifacts(this.queues, { id: invocationId, step }, files);
      }
    }
  }
}

/** What the script gets on stdin, and the shortest of the times that it may take. */
function inputOf({ record }: Work, { implementation }: Tool): { input: Json; timeoutMs?: number } {
  const args = record.calls[0]!.arguments;
  const byCaller = implementation.type === 'caller-script';
  const wishes = [record.timeoutMs, byCaller ? args['timeoutMs'] : undefined].filter(
    (wish) => typeof wish === 'number',
  );
  return {
    input: byCaller ? (args['inputData'] ?? {}) : args,
    ...(wishes.length > 0 && { timeoutMs: Math.min(...wishes) }),
  };
}

function judge(error: unknown, { attempt, suspensions, record }: Work, tool: Tool): unknown {
  if (!(error instanceof ToolError)) return error;
  return decideRetry(error, { attempts: attempt - suspensions, asked: record.retry, own: tool.retry });
}

function outcomeUnknown(toolId: string): ToolError {
  return new ToolError(
    'LostError',
    `The process that ran ${toolId} died; whether it took effect is not known, and it may take effect only once`,
  );
}
