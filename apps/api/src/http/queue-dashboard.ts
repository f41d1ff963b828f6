import { isObject } from '@errand/contracts';
import type { Queues } from '@errand/queue';
import { fastify as createFastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

const BASE = '/admin/queues';
/** The page loads its own files only. The fonts of other hosts are blocked. */
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";
const HIDDEN = '…';

/**
 * Serves the queue dashboard, read-only. A job that is retried or removed there would leave journals, deliveries and indexes wrong, so
 * that only GET is served. The dashboard is loaded at the first request.
 */
export function serveDashboard(fastify: FastifyInstance, queues: () => Queues): void {
  let opening: Promise<FastifyInstance> | undefined;
  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const dashboard = await (opening ??= openDashboard(queues()));
    void reply.hijack();
    dashboard.routing(request.raw, reply.raw);
  };
  for (const url of [BASE, `${BASE}/*`]) fastify.route({ method: 'GET', url, handler: show });
}

type Queue = Queues['deliveries'] | ReturnType<Queues['of']>;

/** Runs the dashboard as another Fastify application, which does not listen. It has its own pages and error format. */
async function openDashboard(queues: Queues): Promise<FastifyInstance> {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/fastify'),
  ]);
  const board = new FastifyAdapter().setBasePath(BASE);
  const { setQueues } = createBullBoard({
    queues: [],
    serverAdapter: board,
    options: { uiConfig: { boardTitle: 'Errand', hideRedisDetails: true } },
  });
  const adapters = new Map<string, InstanceType<typeof BullMQAdapter>>();
  const adapterOf = (queue: Queue) => {
    const adapter = adapters.get(queue.name) ?? new BullMQAdapter(queue, { readOnlyMode: true });
    adapters.set(queue.name, adapter);
    adapter.setFormatter('data', hideSecrets);
    return adapter;
  };
  const app = createFastify();
  // A new label may appear while the page is open.
  app.addHook('onRequest', async () => setQueues((await allQueues(queues)).map(adapterOf)));
  app.addHook('onSend', async (_request, reply) => {
    void reply.header('content-security-policy', POLICY).header('cache-control', 'no-store');
  });
  await app.register(board.registerPlugin(), { prefix: BASE });
  await app.ready();
  return app;
}

async function allQueues(queues: Queues): Promise<Queue[]> {
  const labelled = (await queues.labelled()).map((name) => queues.of(name));
  return [...Object.values(queues.byName), ...labelled, queues.deliveries];
}

/** The data of a job without the secret of its callback. */
function hideSecrets(data: unknown): unknown {
  if (!isObject(data) || !isObject(data['callback']) || data['callback']['secret'] === undefined) return data;
  return { ...data, callback: { ...data['callback'], secret: HIDDEN } };
}
