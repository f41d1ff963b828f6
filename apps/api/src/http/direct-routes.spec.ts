import type { INestApplicationContext } from '@nestjs/common';
import fastify, { type FastifyReply } from 'fastify';
import { serveDirectly } from './direct-routes.js';

const answer = async (reply: FastifyReply) => void reply.send({ way: 'direct' });
const isReply = (value: unknown) => typeof (value as FastifyReply | undefined)?.send === 'function';
/** Controllers that only say that they were called. */
const CONTROLLERS = {
  submit: (...args: unknown[]) => answer(args.find(isReply) as FastifyReply),
  read: async () => ({ way: 'direct' }),
};

async function serve() {
  const server = fastify();
  serveDirectly(server, { get: () => CONTROLLERS } as unknown as INestApplicationContext);
  const throughNest = async () => ({ way: 'nest' });
  server.get('/v1/invocations', throughNest);
  server.get('/v1/invocations/:id', throughNest);
  server.post('/v1/invocations', throughNest);
  server.post('/v1/invocations/batch', throughNest);
  const ask = async (method: 'GET' | 'POST', url: string, payload?: object) =>
    (await server.inject({ method, url, ...(payload && { payload }) })).json<{ way?: string; message?: string }>();
  return { server, ask };
}

describe('The direct routes', () => {
  it('The three routes with the most requests skip the pipeline of Nest, and the others use it', async () => {
    const { server, ask } = await serve();
    expect(await ask('POST', '/v1/invocations', { toolId: 'core:echo' })).toEqual({ way: 'direct' });
    expect(await ask('POST', '/v1/invocations/batch', { items: [{}] })).toEqual({ way: 'direct' });
    expect(await ask('GET', '/v1/invocations/inv_1')).toEqual({ way: 'direct' });
    expect(await ask('GET', '/v1/invocations')).toEqual({ way: 'nest' });
    expect(await ask('GET', '/v1/invocations/')).toEqual({ way: 'nest' });
    await server.close();
  });

  it('A body that breaks a rule goes to the error handler', async () => {
    const { server, ask } = await serve();
    expect((await ask('POST', '/v1/invocations', { toolID: 'x' })).message).toMatch(/Unknown field 'toolID'/);
    await server.close();
  });
});
