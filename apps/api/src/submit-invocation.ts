import { newInvocationId, ToolError, type Attachment, type Call } from '@errand/contracts';
import type { AllowList, Logger } from '@errand/platform';
import { jobsReferredTo } from '@errand/protocol';
import {
  claimIdempotencyKey,
  Definitions,
  Queues,
  readInvocation,
  storeAttachments,
  submitInvocation,
  type RecordedCall,
  type StoredInvocation,
} from '@errand/queue';
import { Registry } from '@errand/registry';
import { chooseQueue } from './choose-queue.js';
import { ProblemError } from './http/problem-error.js';
import type { SubmitRequest } from './http/requests.js';
import { requireAgent } from './require-agent.js';
import { requireCallback } from './require-callback.js';
import { toRecord } from './to-record.js';
import { understandRequest } from './understand-request.js';

/** What is to become of a submission: an invocation, once `enqueue` is called, or nothing, where a text calls nothing. */
export type Submission =
  { id: string; enqueue: () => Promise<StoredInvocation> } | { status: 'no_action'; responseText: string; calls: [] };

export interface Caller {
  tenant: string;
  idempotencyKey?: string;
  trace?: string;
}

/** Text or JSON in, an invocation in a queue out. All or nothing: one bad call and nothing is enqueued. */
export class SubmitInvocation {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly logger: Logger,
    /** What callbacks may reach although it is not public. */
    private readonly allow: AllowList,
  ) {}

  /** @throws ProblemError that says what is wrong, where, and how to mend it */
  async prepare(request: SubmitRequest, caller: Caller): Promise<Submission> {
    const agent = requireAgent(this.registry, request.agent);
    const callback = request.callback && requireCallback(request.callback, this.allow);
    const understood = understandRequest(request, this.registry.toolBook(agent));
    const { calls, responseText = '' } = understood;
    if (calls.length === 0) return { status: 'no_action', responseText, calls: [] };
    await this.requireJobs(calls, caller.tenant);
    const packed = await Promise.all(calls.map((call) => this.pack(call, agent)));
    await this.definitions.put(packed);
    const recorded = packed.map(({ call }) => call);
    const attachments = await this.keepAttachments(request, caller.tenant);
    const record = toRecord(request, caller, recorded, understood, attachments);
    const { id, repeated } = await this.claimId(request, caller);
    const queue = chooseQueue(packed);
    const enqueue = async () => {
      const earlier = repeated ? await readInvocation(this.queues, caller.tenant, id) : undefined;
      if (earlier) return earlier;
      const fresh = await submitInvocation(this.queues, queue, id, record, request.options, callback);
      this.logger.info(
        { invocationId: id, tools: recorded.map((call) => call.toolId), agent: request.agent },
        'accepted',
      );
      return fresh;
    };
    return { id, enqueue };
  }

  private keepAttachments({ attachments = [], options }: SubmitRequest, tenant: string): Promise<Attachment[]> {
    if (attachments.length === 0) return Promise.resolve([]);
    const files = attachments.map(({ base64, ...file }) => ({ ...file, bytes: Buffer.from(base64, 'base64') }));
    return storeAttachments(this.queues, tenant, files, options?.delayMs);
  }

  /**
   * A script that its caller names by path is packed here too, so that it goes to its runner in one hop. Where it can't be,
   * the worker will say so, as the failure of the invocation that it is. Where the tool's own script can't be, there is nothing to run.
   */
  private async pack({ toolId, arguments: args }: Call, agent: string | undefined) {
    const tool = this.registry.find(toolId, { agent })!;
    const { digest, definition } = await this.registry.define(tool, args).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
      if (tool.implementation.type === 'caller-script') return this.registry.define(tool);
      const message = `The tool ${toolId} cannot be run until its files are mended: ${error.message}`;
      throw new ProblemError('unavailable', message, { observation: `Observation: Error - ${message}` });
    });
    const call: RecordedCall = { toolId: tool.toolId, version: tool.version, kind: tool.kind, digest, arguments: args };
    return { call, digest, definition };
  }

  /** An invocation whose result a call asks for must be there; whether it ends well is not known yet. */
  private async requireJobs(calls: readonly Call[], tenant: string): Promise<void> {
    const ids = new Set(calls.flatMap((call) => jobsReferredTo(call.arguments)));
    for (const id of ids) {
      if (await readInvocation(this.queues, tenant, id)) continue;
      const message = `There is no invocation ${id} to take a result from`;
      throw new ProblemError('invalid_parameters', message, {
        errors: [{ path: '', message }],
        observation: `Observation: Error - ${message}`,
      });
    }
  }

  private async claimId(
    request: SubmitRequest,
    { tenant, idempotencyKey }: Caller,
  ): Promise<{ id: string; repeated: boolean }> {
    const id = newInvocationId();
    if (idempotencyKey === undefined) return { id, repeated: false };
    if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
      throw new ProblemError('invalid_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
    }
    const claimed = await claimIdempotencyKey(this.queues, { tenant, key: idempotencyKey, body: request, id });
    if (claimed !== undefined) return { id: claimed, repeated: claimed !== id };
    throw new ProblemError(
      'conflict',
      'This Idempotency-Key was used with another body; take a new key for a new request',
    );
  }
}
