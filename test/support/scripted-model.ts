import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isObject, type Json, type JsonObject } from '@errand/contracts';
import { completionOf, streamOf, type Answer } from './completion-parts.js';
import { eventually } from './eventually.js';

export type { Answer, ScriptedCall } from './completion-parts.js';

/** A request to the model. */
export interface ModelRequest {
  headers: IncomingHttpHeaders;
  body: JsonObject & { stream?: boolean };
  messages: { role: string; content: Json; [field: string]: Json | undefined }[];
  /** The names of the offered tools. */
  tools: string[];
  /** The content of the last message; empty without messages. */
  last: string;
  /** How the response ended: whole, broken by the script, or closed by the caller. Undefined while it is written. */
  end?: 'whole' | 'broken' | 'closed';
}

/** The answer to request `n` (from 0), or the list of all answers. A string is an answer that has only text. */
export type Script =
  | readonly (Answer | string)[]
  | ((request: ModelRequest, n: number) => Answer | string | Promise<Answer | string>);

/**
 * A language model that follows a script: a server of `POST /v1/chat/completions`, streaming or not. It records the
 * requests. A request after the end of a list gets the status code 400, which no caller retries.
 */
export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  private readonly server: Server;

  private constructor(public script: Script) {
    this.server = createServer((incoming, response) => void this.handle(incoming, response));
  }

  /** @param port default: a free one */
  static async start(script: Script = [], port = 0): Promise<ScriptedModel> {
    const model = new ScriptedModel(script);
    model.server.listen(port, '127.0.0.1');
    await once(model.server, 'listening');
    return model;
  }

  /** The base address, as `ERRAND_LLM_BASE_URL` takes it. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** The settings of a worker that asks this model. */
  get env(): Record<string, string> {
    return { ERRAND_LLM_BASE_URL: this.url, ERRAND_LLM_MODEL: 'scripted' };
  }

  /** Forgets the requests, and counts from 0 again. */
  restart(script: Script): void {
    this.requests.length = 0;
    this.script = script;
  }

  /** Resolves with all requests so far, once there are at least `count`. */
  async until(count: number): Promise<ModelRequest[]> {
    await eventually(() => this.requests.length >= count, `${count} requests to the model`);
    return this.requests;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const request = readRequest(incoming.headers, await text(incoming));
      const n = this.requests.push(request) - 1;
      response.on('close', () => (request.end ??= response.writableFinished ? 'whole' : 'closed'));
      if (incoming.url !== '/v1/chat/completions') return refuse(response, 404, `no such path: ${incoming.url}`);
      const answer = await this.answerTo(request, n);
      await (typeof answer.after === 'function' ? answer.after() : answer.after);
      await respond(request, answer, response);
    } catch (error) {
      refuse(response, 400, `the script of the model failed: ${String(error)}`);
    }
  }

  private async answerTo(request: ModelRequest, n: number): Promise<Answer> {
    const answer = typeof this.script === 'function' ? await this.script(request, n) : this.script[n];
    if (answer === undefined) return { status: 400, message: `the script has no answer to request ${n}` };
    return typeof answer === 'string' ? { text: answer } : answer;
  }
}

/**
 * A scripted model for the tests of the surrounding block. While they run, it is the model of workers in this process.
 * Each test begins with an empty record and the given script.
 */
export function useScriptedModel(script: Script = []): { readonly current: ScriptedModel } {
  let model: ScriptedModel | undefined;
  const before = { ...process.env };
  beforeAll(async () => {
    model = await ScriptedModel.start(script);
    Object.assign(process.env, model.env);
  });
  beforeEach(() => model?.restart(script));
  afterAll(() => {
    for (const name of Object.keys(model?.env ?? {})) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    model?.close();
  });
  return {
    get current() {
      if (!model) throw new Error('The scripted model starts before the tests, not before the blocks');
      return model;
    },
  };
}

async function respond(request: ModelRequest, answer: Answer, response: ServerResponse): Promise<void> {
  const { status = 200, raw, whole, breakAfter } = answer;
  if (status !== 200) return refuse(response, status, answer.message, answer.retryAfter);
  const isStreamed = request.body.stream === true && whole !== true;
  const type = isStreamed ? 'text/event-stream; charset=utf-8' : 'application/json';
  response.writeHead(200, { 'content-type': type });
  if (raw !== undefined) return void response.end(raw);
  const promptChars = JSON.stringify(request.messages).length;
  if (isStreamed) return writeStream(request, answer, streamOf(answer, promptChars), response);
  if (breakAfter === undefined) return void response.end(JSON.stringify(completionOf(answer, promptChars)));
  response.flushHeaders();
  breakOff(request, response);
}

/** Writes the pieces so that each arrives separately. */
async function writeStream(
  request: ModelRequest,
  { breakAfter, hold }: Answer,
  { pieces, end }: { pieces: string[]; end: string },
  response: ServerResponse,
): Promise<void> {
  response.flushHeaders();
  for (let index = 0; index <= pieces.length; index++) {
    if (index === breakAfter) return breakOff(request, response);
    if (index === hold?.pieces) await hold.until;
    if (response.destroyed) return;
    const piece = pieces[index];
    if (piece !== undefined) await new Promise((resolve) => response.write(piece, resolve));
    await new Promise(setImmediate);
  }
  response.end(end);
}

function breakOff(request: ModelRequest, response: ServerResponse): void {
  request.end = 'broken';
  response.destroy();
}

function refuse(response: ServerResponse, status: number, message = 'scripted', retryAfter?: number): void {
  if (response.headersSent) return void response.destroy();
  const headers = {
    'content-type': 'application/json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  };
  response.writeHead(status, headers).end(JSON.stringify({ error: { message, type: 'scripted' } }));
}

function readRequest(headers: IncomingHttpHeaders, body: string): ModelRequest {
  const read: unknown = JSON.parse(body);
  if (!isObject(read)) throw new Error('the request is not an object');
  const messages = listOf(read.messages) as ModelRequest['messages'];
  const content = messages.at(-1)?.content;
  return {
    headers,
    body: read as ModelRequest['body'],
    messages,
    tools: listOf(read.tools).map((tool) =>
      isObject(tool) && isObject(tool.function) ? String(tool.function.name) : '',
    ),
    last: typeof content === 'string' ? content : '',
  };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
