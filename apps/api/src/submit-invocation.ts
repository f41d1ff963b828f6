import { newInvocationId, ToolError, type Call, type Tool, type ToolBook } from '@errand/contracts';
import { checkTemplates, containsTemplate, observeProblems, parse } from '@errand/protocol';
import {
  claimIdempotencyKey,
  Definitions,
  Queues,
  readInvocation,
  submitInvocation,
  type InvocationRecord,
  type RecordedCall,
  type StoredInvocation,
} from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import { ProblemError } from './http/problem-error.js';
import type { SubmitRequest } from './http/requests.js';
import { requireAgent } from './require-agent.js';
import { resolveCalls } from './resolve-calls.js';

/** What is to become of a submission: an invocation, once `enqueue` is called, or nothing, where a text calls nothing. */
export type Submission =
  { id: string; enqueue: () => Promise<StoredInvocation> } | { status: 'no_action'; responseText: string; calls: [] };

export interface Caller {
  tenant: string;
  idempotencyKey?: string;
  trace?: string;
}

interface Understood {
  calls: Call[];
  responseText?: string;
}

/** Text or JSON in, an invocation in a queue out. All or nothing: one bad call and nothing is enqueued. */
@Injectable()
export class SubmitInvocation {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
  ) {}

  /** @throws ProblemError that says what is wrong, where, and how to mend it */
  async prepare(request: SubmitRequest, caller: Caller): Promise<Submission> {
    requireOneForm(request);
    const agent = requireAgent(this.registry, request.agent);
    const book = this.registry.toolBook(agent);
    const { calls, responseText } =
      request.text === undefined ? fromJson(request, book) : fromText(request.text, request, book);
    if (calls.length === 0) return { status: 'no_action', responseText: responseText ?? '', calls: [] };
    const packed = await Promise.all(calls.map((call) => this.pack(call, agent)));
    await this.definitions.put(packed);
    const record = toRecord(
      request,
      caller,
      packed.map(({ call }) => call),
      responseText,
    );
    const { id, repeated } = await this.claimId(request, caller);
    const straight =
      packed.length === 1 && packed[0]!.definition.script !== undefined && !containsTemplate(calls[0]!.arguments);
    const enqueue = async () => {
      const fresh = await submitInvocation(
        this.queues,
        straight ? 'scripts' : 'invocations',
        id,
        record,
        request.options,
      );
      return (repeated && (await readInvocation(this.queues, caller.tenant, id))) || fresh;
    };
    return { id, enqueue };
  }

  /**
   * A script that its caller names by path is packed here too, so that it goes to its runner in one hop. Where it can't be,
   * the worker will say so, as the failure of the invocation that it is.
   */
  private async pack({ toolId, arguments: args }: Call, agent: string | undefined) {
    const tool: Tool = this.registry.find(toolId, { agent })!;
    const { digest, definition } = await this.registry.define(tool, args).catch((error: unknown) => {
      if (error instanceof ToolError) return this.registry.define(tool);
      throw error;
    });
    const call: RecordedCall = { toolId: tool.toolId, version: tool.version, kind: tool.kind, digest, arguments: args };
    return { call, digest, definition };
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

function requireOneForm({ text, calls, toolId, arguments: args }: SubmitRequest): void {
  const forms = [text, calls, toolId].filter((form) => form !== undefined).length;
  if (forms !== 1 || (args !== undefined && toolId === undefined)) {
    throw new ProblemError(
      'invalid_request',
      'Give one of: `text`; `calls` [{toolId, arguments}]; or `toolId` with `arguments`',
    );
  }
}

function fromText(text: string, { protocol }: SubmitRequest, tools: ToolBook): Understood {
  const { calls, errors, observation, responseText } = parse(text, {
    tools: keepVersions(tools),
    ...(protocol && { protocol }),
  });
  const [first] = errors;
  if (!first) return { calls, responseText };
  const detail = errors.map((error) => `line ${error.line}, column ${error.column}: ${error.message}`).join('\n');
  throw new ProblemError(first.kind, detail, { errors, ...(observation !== null && { observation }) });
}

/** Where a text asks for a version (`core:echo@^1`), the call that comes out of it names the one that it got. */
function keepVersions(book: ToolBook): ToolBook {
  const find = (name: string) => {
    const tool = book.find(name);
    return tool && name.includes('@') ? { ...tool, toolId: `${tool.toolId}@${tool.version}` } : tool;
  };
  return { ...book, find };
}

function fromJson(request: SubmitRequest, book: ToolBook): Understood {
  const given = request.calls ?? [{ toolId: request.toolId!, arguments: request.arguments }];
  const calls = given.map(({ toolId, arguments: args }) => ({ toolId, arguments: args ?? {} }));
  const { resolved, problems } = resolveCalls(book, calls);
  const outputs = resolved.map((call) => book.find(call.toolId)?.output);
  const wrong = problems.length > 0 ? problems : checkTemplates(resolved, outputs);
  const [first] = wrong;
  if (!first) return { calls: resolved };
  throw new ProblemError(first.kind, wrong.map((problem) => problem.message).join('\n'), {
    errors: wrong,
    observation: observeProblems(wrong, calls),
  });
}

function toRecord(
  request: SubmitRequest,
  caller: Caller,
  calls: RecordedCall[],
  responseText?: string,
): InvocationRecord {
  const { agent, session, metadata, options } = request;
  return {
    tenant: caller.tenant,
    calls,
    mode: options?.mode ?? 'sequence',
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
    ...(responseText !== undefined && { responseText }),
    ...(metadata !== undefined && { metadata }),
    ...(options?.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options?.maxResultChars !== undefined && { maxResultChars: options.maxResultChars }),
    ...(caller.trace !== undefined && { trace: caller.trace }),
  };
}
