import {
  ToolError,
  type Attachment,
  type Call,
  type JsonObject,
  type LocatedWarning,
  type Callback,
} from '@errand/contracts';
import { type AllowList, checkCallbackUrl, parseWebhookSecret } from '@errand/platform';
import { containsTemplate, jobsReferredTo, observeWarnings } from '@errand/protocol';
import {
  Definitions,
  Queues,
  readInvocation,
  storeAttachments,
  type NewInvocation,
  type InvocationRecord,
  type RecordedCall,
} from '@errand/queue';
import { Registry } from '@errand/registry';
import { chooseQueue, type Packed } from './choose-queue.js';
import { ProblemError } from '../http/problem-error.js';
import type { SubmitRequest, CallbackRequest } from '../http/submission-requests.js';
import { requireAgent } from '../http/require-agent.js';
import { understandRequest, type Understood } from './understand-request.js';

/** Who submits, and in which trace. */
export interface Caller {
  tenant: string;
  trace?: string;
}

/** An invocation to be, all but its id. */
export type Prepared = Omit<NewInvocation, 'id' | 'hold'>;

/** What a text comes to that calls nothing. */
export interface NoAction {
  status: 'no_action';
  responseText: string;
  calls: [];
  warnings?: LocatedWarning[];
  /** What to tell the model of the warnings. */
  observation?: string;
}

/** Makes what is to be enqueued of what was asked for, and stores what its run needs. */
export class PrepareSubmission {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    /** What callbacks may reach although it is not public. */
    private readonly allow: AllowList,
  ) {}

  /**
   * All or nothing: one bad call and nothing is to be enqueued.
   * @throws ProblemError that says what is wrong, where, and how to mend it
   */
  async prepare(request: SubmitRequest, caller: Caller): Promise<Prepared | NoAction> {
    const agent = requireAgent(this.registry, request.agent);
    const callback = request.callback && requireCallback(request.callback, this.allow);
    const understood = understandRequest(request, this.registry.toolLookup(agent));
    const { calls } = understood;
    if (calls.length === 0) return noAction(understood);
    const jobs = new Set(calls.flatMap((call) => jobsReferredTo(call.arguments)));
    if (jobs.size > 0) await this.requireJobs([...jobs], caller.tenant);
    const packed = await Promise.all(calls.map((call) => this.pack(call, agent)));
    const [attachments] = await Promise.all([
      this.keepAttachments(request, caller.tenant),
      this.definitions.put(packed.map(({ call: { digest }, definition }) => ({ digest, definition }))),
    ]);
    const recorded = packed.map(({ call }, index) =>
      goesOnAfter(request, index) ? { ...call, onError: 'continue' as const } : call,
    );
    const record = toRecord(request, caller, recorded, understood, attachments);
    return { queue: chooseQueue(packed, request.session), record, options: request.options, callback };
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
  private async pack({ toolId, arguments: args }: Call, agent: string | undefined): Promise<Packed> {
    const tool = this.registry.find(toolId, { agent })!;
    const { digest, definition } = await this.registry.define(tool, knownArguments(args)).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
      if (tool.implementation.type === 'caller-script') return this.registry.define(tool);
      const message = `The tool ${toolId} cannot be run until its files are mended: ${error.message}`;
      const told = `Tool ${toolId} cannot run: its files are not in order. Go on without it, or tell the user.`;
      throw new ProblemError('unavailable', message, { observation: `Observation: Error - ${told}` });
    });
    const { version, kind } = tool;
    return { call: { toolId: tool.toolId, version, kind, digest, arguments: args }, definition };
  }

  /** An invocation whose result a call asks for must be there; whether it ends well is not known yet. */
  private async requireJobs(ids: readonly string[], tenant: string): Promise<void> {
    const found = await Promise.all(ids.map((id) => readInvocation(this.queues, tenant, id)));
    const missing = ids.find((_, n) => found[n] === undefined);
    if (missing === undefined) return;
    const message = `There is no invocation ${missing} to take a result from`;
    throw new ProblemError('invalid_parameters', message, {
      errors: [{ path: '', message }],
      observation: `Observation: Error - ${message}`,
    });
  }
}

function noAction({ responseText = '', warnings }: Understood): NoAction {
  const told = warnings && { warnings, observation: observeWarnings(warnings).join('\n') };
  return { status: 'no_action', responseText, calls: [], ...told };
}

/** The arguments that name what runs, as far as they are known: the path of a script may be a template. */
export function knownArguments(args: JsonObject): JsonObject {
  const { scriptPath, ...others } = args;
  return scriptPath !== undefined && containsTemplate(scriptPath) ? others : args;
}

function goesOnAfter({ calls, options }: SubmitRequest, index: number): boolean {
  return (calls?.[index]?.onError ?? options?.onError) === 'continue';
}

/**
 * The callback of a request, once it is known that it may be called. What its name leads to is judged at each connect.
 * @throws ProblemError `unsupported_callback_url`; `invalid_request` where the secret is none, which is never repeated
 */
export function requireCallback({ url, events, secret }: CallbackRequest, allow: AllowList): Callback {
  requireUrl(url, allow);
  if (secret !== undefined) requireSecret(secret);
  return { url, ...(events && { events }), ...(secret !== undefined && { secret }) };
}

function requireUrl(url: string, allow: AllowList): void {
  try {
    checkCallbackUrl(url, allow);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { message } = error;
    throw new ProblemError('unsupported_callback_url', message, { errors: [{ path: '/callback/url', message }] });
  }
}

function requireSecret(secret: string): void {
  try {
    parseWebhookSecret(secret);
  } catch (error) {
    const message = `callback.secret ${(error as Error).message}`;
    throw new ProblemError('invalid_request', message, { errors: [{ path: '/callback/secret', message }] });
  }
}

/** What the job of an accepted submission carries. */
export function toRecord(
  request: SubmitRequest,
  caller: { tenant: string; trace?: string },
  calls: RecordedCall[],
  { responseText, warnings }: Understood,
  attachments: Attachment[],
): InvocationRecord {
  const { agent, session, metadata, options } = request;
  return {
    tenant: caller.tenant,
    calls,
    mode: options?.mode ?? 'sequence',
    ...(options?.concurrency !== undefined && { concurrency: options.concurrency }),
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
    ...(responseText !== undefined && { responseText }),
    ...(warnings && { warnings }),
    ...(metadata !== undefined && { metadata }),
    ...(attachments.length > 0 && { attachments }),
    ...(options?.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options?.maxResultChars !== undefined && { maxResultChars: options.maxResultChars }),
    ...(caller.trace !== undefined && { trace: caller.trace }),
  };
}
