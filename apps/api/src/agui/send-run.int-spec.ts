import fastify, { type FastifyInstance } from 'fastify';
import { FrontEnd, typesOf } from '../../../../test/support/agui-agent.js';
import { sendRun } from './send-run.js';
import type { RunItem } from './show-run.js';

const PROTOBUF = 'application/vnd.ag-ui.event+proto';
const BEGIN: RunItem = [{ type: 'RUN_STARTED', threadId: 't', runId: 'r', protocolVersion: '1.0' }];
const END: RunItem = [{ type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: { type: 'success' } }];
const open: FastifyInstance[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

/** A server that sends these items as every run. @returns its address */
async function serve(itemsOf: () => AsyncIterable<RunItem>): Promise<string> {
  const server = fastify();
  open.push(server);
  server.post('/', ({ headers: { accept } }, reply) => sendRun(reply, itemsOf(), { accept, turn: 'inv_1' }));
  return server.listen({ port: 0, host: '127.0.0.1' });
}

async function* quietRun(): AsyncGenerator<RunItem> {
  yield BEGIN;
  yield 'heartbeat';
  yield 'heartbeat';
  yield END;
}

/** Reads the response until the text contains `mark`. Without it, the read never ends. */
async function readUntil(reader: ReadableStreamDefaultReader<string>, mark: string): Promise<string> {
  for (let text = ''; ;) {
    const { done, value = '' } = await reader.read();
    text += value;
    if (text.includes(mark)) return text;
    if (done) throw new Error(`The response ended without ${mark}: ${text}`);
  }
}

describe('The heartbeat of a run', () => {
  it('A heartbeat reaches the client as a comment while nothing else comes', async () => {
    let goOn: () => void = () => {};
    const isRead = new Promise<void>((resolve) => (goOn = resolve));
    const url = await serve(async function* () {
      yield BEGIN;
      yield 'heartbeat';
      await isRead;
      yield END;
    });
    const { body } = await fetch(url, { method: 'POST' });
    if (!body) throw new Error('The response has no body');
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const begin = await readUntil(reader, ': still here\n\n');
    goOn();
    const end = await readUntil(reader, 'RUN_FINISHED');
    expect(begin).toMatch(/^data: \{"type":"RUN_STARTED".*\n\n: still here\n\n$/);
    expect(end).not.toContain('still here');
  });

  it('The client of AG-UI reads over heartbeats', async () => {
    const agent = FrontEnd.of(await serve(quietRun), 't');
    expect(typesOf(await agent.say('Hi'))).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
  });

  it('A run in protobuf has no bytes for a heartbeat', async () => {
    const quiet = await serve(quietRun);
    const busy = await serve(async function* () {
      yield BEGIN;
      yield END;
    });
    const [withHeartbeats, without] = await Promise.all(
      [quiet, busy].map(async (url) => {
        const response = await fetch(url, { method: 'POST', headers: { accept: PROTOBUF } });
        expect(response.headers.get('content-type')).toBe(PROTOBUF);
        return Buffer.from(await response.arrayBuffer());
      }),
    );
    expect(withHeartbeats).toEqual(without);
    expect(without?.length).toBeGreaterThan(0);
  });
});
