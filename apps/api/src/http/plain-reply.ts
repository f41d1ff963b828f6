import type { ServerResponse } from 'node:http';

/** What the routes with the most requests need of a reply. Fastify's reply has it, too. */
export interface PlainReply {
  readonly raw: ServerResponse;
  status(code: number): PlainReply;
  header(name: string, value: string): PlainReply;
  getHeader(name: string): number | string | string[] | undefined;
  /** Objects become JSON. */
  send(body: string | Buffer | object): unknown;
}
