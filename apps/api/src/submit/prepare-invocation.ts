import {
  ToolError,
  type Attachment,
  type Call,
  type JsonObject,
  type LocatedWarning,
  type Tool,
  type Callback,
} from '@errand/contracts';
import { type AllowList, checkCallbackUrl, parseWebhookSecret } from '@errand/platform';
import { containsTemplate, jobsReferredTo, observeWarnings } from '@errand/protocol';
import {
  Definitions,
  idsOfTenant,
  Queues,
  storeAttachments,
  type NewInvocation,
  type InvocationRecord,
  type RecordedCall,
} from '@errand/queue';
import { Registry, type DefinedTool } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import { ApiConfiguration } from '../api-tokens.js';
import { AnswerChecks } from '../control/answer-checks.js';
import { checkClientTools } from './check-client-tools.js';
import { chooseQueue, type DefinedCall } from './choose-queue.js';
import { ProblemError } from '../http/problem-error.js';
import type { SubmitRequest, CallbackRequest } from '../http/submission-requests.js';
import { requireAgent } from '../http/require-agent.js';
import { CountRefusals } from '../stats/count-refused-requests.js';
import { nativeDefaults, refuseMessage } from '../messages/refuse-message.js';
import { KeepText } from '../source/keep-text.js';
import { RefusalLog } from '../refusals/refusal-log.js';
import { understandRequest } from './understand-request.js';
import type { Understood } from './understood.js';

/** How many invocations that arguments refer to are looked for at once. */
const READ_TOGETHER = 1_000;

/** The tenant that submits, and its W3C trace context. */
export interface Submitter {
  tenant: string;
  trace?: string;
}

/** A valid invocation without its id. */
export type PreparedInvocation = Omit<NewInvocation, 'id' | 'claim'>;

/** A valid request, before anything of it is stored. A text that calls nothing has no definitions. */
export interface CheckedRequest {
  request: SubmitRequest;
  callback: Callback | undefined;
  understood: Understood;
  defined: readonly DefinedCall[];
}

/** The response to a text that calls nothing. */
export interface NoAction {
  status: 'no_action';
  responseText: string;
  calls: [];
  warnings?: LocatedWarning[];
  /** The warnings, for the model. */
  observation?: string;
  /** For the message of a model API: there is nothing to answer. */
  messages?: [];
}

/**
 * Turns a request into an invocation that can be enqueued. It stores the definitions and attachments that the run needs. Loops fill the lists
 * of calls: once V8 has optimized a `map`, its arrays are of another kind, and all readers of these lists would be compiled again (ADR 153).
 */
@Injectable()
export class PrepareInvocation {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
    private readonly settings: ApiConfiguration,
    private readonly checks: AnswerChecks,
    private readonly texts: KeepText,
    private readonly refusals: RefusalLog,
    private readonly refused: CountRefusals,
  ) {}

  /**
   * One invalid call refuses the whole request.
   * @throws ProblemError that says what is wrong, where, and how to fix it
   */
  async prepare(request: SubmitRequest, submitter: Submitter): Promise<PreparedInvocation | NoAction> {
    try {
      const checked = await this.check(request, submitter);
      return await this.store(checked, submitter);
    } catch (error) {
      this.refusals.note(request, submitter.tenant, error);
      this.refused.note(error, request, submitter.tenant);
      throw error;
    }
  }

  /**
   * Checks a request as `prepare` does, and stores nothing.
   * @throws ProblemError that says what is wrong, where, and how to fix it
   */
  check(request: SubmitRequest, submitter: Submitter): Promise<CheckedRequest> {
    return request.message === undefined ? this.checkCalls(request, submitter) : this.checkMessage(request, submitter);
  }

  private async checkMessage(request: SubmitRequest, submitter: Submitter): Promise<CheckedRequest> {
    return this.checkCalls(nativeDefaults(request), submitter).catch(refuseMessage(request.message));
  }

  /** It awaits only what is not known yet: each promise would cost a request more than its check. */
  private async checkCalls(request: SubmitRequest, submitter: Submitter): Promise<CheckedRequest> {
    const agent = requireAgent(this.registry, request.agent);
    const callback = request.callback && requireCallback(request.callback, this.settings.ERRAND_CALLBACK_ALLOW);
    const understood = understandRequest(request, this.registry.toolLookup(agent));
    const { calls } = understood;
    if (calls.length === 0) return { request, callback, understood, defined: [] };
    const jobs: (readonly string[])[] = [];
    const simple: DefinedCall[] = [];
    let hasAgent = false;
    for (const call of calls) {
      jobs.push(jobsReferredTo(call.arguments));
      const tool = this.registry.find(call.toolId, { agent });
      hasAgent ||= tool?.kind === 'agent';
      const defined = this.defineSimpleCall(call, tool);
      if (defined) simple.push(defined);
    }
    if (jobs.some((ids) => ids.length > 0)) await this.requireJobs(jobs, submitter.tenant);
    if (hasAgent) {
      const isAgent = (toolId: string) => this.registry.find(toolId, { agent })?.kind === 'agent';
      await checkClientTools(calls, isAgent, this.checks, submitter.tenant);
    }
    const defined =
      simple.length === calls.length ? simple : await Promise.all(calls.map((call) => this.defineCall(call, agent)));
    return { request, callback, understood, defined };
  }

  private async store(
    { request, callback, understood, defined }: CheckedRequest,
    submitter: Submitter,
  ): Promise<PreparedInvocation | NoAction> {
    if (defined.length === 0) return noAction(understood);
    const attachments = request.attachments ? await this.keepAttachments(request, submitter.tenant) : [];
    if (!defined.every(({ call }) => this.definitions.isWritten(call.digest)))
      await this.definitions.put(defined.map(({ call: { digest }, ...each }) => ({ digest, ...each })));
    const recorded: RecordedCall[] = [];
    for (const [index, { call }] of defined.entries())
      recorded.push({
        ...call,
        ...(continuesAfter(request, index) && { onError: 'continue' as const }),
        ...(understood.native && { callId: understood.native.callIds[index] }),
      });
    const record = toRecord(request, submitter, recorded, understood, attachments);
    const { text, session, options } = request;
    const { protocol = 'auto' } = understood;
    const source = text === undefined ? undefined : await this.texts.keep(text, protocol);
    return { queue: chooseQueue(defined, session), record, options, callback, source };
  }

  private keepAttachments({ attachments = [], options }: SubmitRequest, tenant: string): Promise<Attachment[]> {
    if (attachments.length === 0) return Promise.resolve([]);
    const files = attachments.map(({ base64, ...file }) => ({ ...file, bytes: Buffer.from(base64, 'base64') }));
    return storeAttachments(this.queues, tenant, files, options?.delayMs);
  }

  /** Defines the tool of a call at once. Undefined for agents, scripts and unknown tools. */
  private defineSimpleCall({ arguments: args }: Call, tool: Tool | undefined): DefinedCall | undefined {
    const defined = tool && this.registry.defineNow(tool, knownArguments(args));
    return defined && toDefinedCall(tool, args, defined);
  }

  /**
   * Defines the tool of a call. A script that the caller names by path is defined here, too, so that it goes to its runner directly. If
   * that script is invalid, the invocation fails in the worker. If the own script of a tool is invalid, the request is refused.
   */
  private async defineCall({ toolId, arguments: args }: Call, agent: string | undefined): Promise<DefinedCall> {
    const tool = this.registry.find(toolId, { agent });
    if (!tool) throw new ProblemError('unknown_tool', `Unknown tool '${toolId}'`);
    const defined = await this.registry.define(tool, knownArguments(args)).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
      if (tool.implementation.type === 'caller-script') return this.registry.define(tool);
      const message = `The tool ${toolId} cannot run until its files are fixed: ${error.message}`;
      const text = `Tool ${toolId} cannot run: its files are not in order. Go on without it, or tell the user.`;
      throw new ProblemError('unavailable', message, { observation: `Observation: Error - ${text}` });
    });
    return toDefinedCall(tool, args, defined);
  }

  /** Requires each invocation whose result a call refers to. `jobs` has the ids of each call. Its outcome may still be open. */
  private async requireJobs(jobs: readonly (readonly string[])[], tenant: string): Promise<void> {
    const ids = [...new Set(jobs.flat())];
    const found = new Set<string>();
    for (let n = 0; n < ids.length; n += READ_TOGETHER)
      for (const id of await idsOfTenant(this.queues, tenant, ids.slice(n, n + READ_TOGETHER))) found.add(id);
    const missing = ids.find((id) => !found.has(id));
    if (missing === undefined) return;
    const message = `There is no invocation ${missing} to take a result from`;
    const call = jobs.findIndex((own) => own.includes(missing));
    throw new ProblemError('invalid_parameters', message, {
      errors: [{ path: '', message, call }],
      observation: `Observation: Error - ${message}`,
    });
  }
}

function noAction({ responseText = '', warnings, native }: Understood): NoAction {
  const warned = warnings && { warnings, observation: observeWarnings(warnings).join('\n') };
  return { status: 'no_action', responseText, calls: [], ...warned, ...(native && { messages: [] }) };
}

/** The arguments without a `scriptPath` that is a template: the script is not known yet. */
export function knownArguments(args: JsonObject): JsonObject {
  if (args['scriptPath'] === undefined || !containsTemplate(args['scriptPath'])) return args;
  const { scriptPath: _, ...others } = args;
  return others;
}

function toDefinedCall(
  { toolId, version, kind }: Tool,
  args: JsonObject,
  { digest, ...defined }: DefinedTool,
): DefinedCall {
  return { call: { toolId, version, kind, digest, arguments: args }, ...defined };
}

function continuesAfter({ calls, options }: SubmitRequest, index: number): boolean {
  return (calls?.[index]?.onError ?? options?.onError) === 'continue';
}

/**
 * Checks the callback of a request. The address of its host is checked again at each connect.
 * @throws ProblemError `unsupported_callback_url`; `invalid_request` for a malformed secret, which the message does not repeat
 */
function requireCallback({ url, events, secret }: CallbackRequest, allow: AllowList): Callback {
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

/** The data of the job. */
function toRecord(
  request: SubmitRequest,
  submitter: Submitter,
  calls: RecordedCall[],
  { responseText, warnings, native }: Understood,
  attachments: Attachment[],
): InvocationRecord {
  const { agent, session, metadata, options } = request;
  return {
    tenant: submitter.tenant,
    calls,
    mode: options?.mode ?? 'sequence',
    ...(options?.concurrency !== undefined && { concurrency: options.concurrency }),
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
    ...(options?.fairnessKey !== undefined && { fairnessKey: options.fairnessKey }),
    ...(responseText !== undefined && { responseText }),
    ...(native && { messageForm: native.form }),
    ...(warnings && { warnings }),
    ...(metadata !== undefined && { metadata }),
    ...(attachments.length > 0 && { attachments }),
    ...(options?.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options?.maxResultChars !== undefined && { maxResultChars: options.maxResultChars }),
    ...(submitter.trace !== undefined && { trace: submitter.trace }),
  };
}
