import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { compressJson } from './compress-responses.js';
import type { PlainReply } from './plain-reply.js';

/** A reply to a request that Fastify does not see. It sends the head and the body in one write, with the headers in the order of Fastify. */
export class DirectReply implements PlainReply {
  private code = 200;
  private readonly fields: OutgoingHttpHeaders = {};

  /** @param asked the headers of the request */
  constructor(
    readonly raw: ServerResponse,
    private readonly asked: IncomingHttpHeaders,
  ) {}

  status(code: number): this {
    this.code = code;
    return this;
  }

  header(name: string, value: string): this {
    this.fields[name] = value;
    return this;
  }

  getHeader(name: string): number | string | string[] | undefined {
    return this.fields[name] ?? this.raw.getHeader(name);
  }

  /** Like Fastify's, does nothing after the first time. */
  send(body: string | Buffer | object): void {
    const { raw, code, fields, asked } = this;
    if (raw.headersSent) return;
    const isPlain = typeof body === 'string' || Buffer.isBuffer(body);
    const payload = isPlain ? body : JSON.stringify(body);
    fields['content-type'] ??= 'application/json; charset=utf-8';
    const compressed = compressJson(asked, payload);
    if (compressed) fields['content-encoding'] = compressed.encoding;
    if (compressed?.stream) return void pipeline(compressed.stream, raw.writeHead(code, fields), () => {});
    const bytes = compressed?.bytes ?? payload;
    fields['content-length'] = String(Buffer.byteLength(bytes));
    raw.writeHead(code, fields).end(bytes);
  }
}
