import { loadOnDemand } from '@errand/platform';
import type { Queues } from '@errand/queue';
import { fastify as createFastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { POLICY, readTexts, TEXTS, withoutForeignFiles } from './dashboard-page.js';
import type { QueueAdapter, ShownQueue } from './queue-adapter.js';

const BASE = '/admin/queues';

/**
 * Serves the queue dashboard, read-only. A job that is retried or removed there would leave journals, deliveries and indexes wrong, so
 * that only GET is served. The dashboard is loaded at the first request.
 */
export function serveDashboard(fastify: FastifyInstance, queues: () => Queues): void {
  const open = loadOnDemand(() => openDashboard(queues()));
  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const dashboard = await open();
    void reply.hijack();
    dashboard.routing(request.raw, reply.raw);
  };
  for (const url of [BASE, `${BASE}/*`]) fastify.route({ method: 'GET', url, handler: show });
}

/** Runs the dashboard as another Fastify application, which does not listen. It has its own pages and error format. */
async function openDashboard(queues: Queues): Promise<FastifyInstance> {
  const [{ createBullBoard }, { FastifyAdapter }, { QueueAdapter: Adapter }, texts] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/fastify'),
    import('./queue-adapter.js'),
    readTexts(),
  ]);
  const board = new FastifyAdapter().setBasePath(BASE);
  const { setQueues } = createBullBoard({ queues: [], serverAdapter: board, options: { uiConfig: UI } });
  const adapters = new Map<string, QueueAdapter>();
  const adapterOf = (queue: ShownQueue) => {
    const name = queue.toKey('');
    const adapter = adapters.get(name) ?? new Adapter(queues, queue);
    adapters.set(name, adapter);
    return adapter;
  };
  const app = createFastify();
  // A new label may appear while the page is open.
  app.addHook('onRequest', async () => setQueues((await allQueues(queues)).map(adapterOf)));
  // This route wins over the folder of static files.
  app.get(`${BASE}/${TEXTS}`, () => texts);
  app.addHook('onSend', async (_request, reply, payload) => {
    void reply.header('content-security-policy', POLICY).header('cache-control', 'no-store');
    const isPage = typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html');
    return isPage ? withoutForeignFiles(payload) : payload;
  });
  await app.register(board.registerPlugin(), { prefix: BASE });
  await app.ready();
  return app;
}

/** The consumers of a queue announce themselves in a key of Errand (`/readyz`), not by the names of their connections. */
const UI = {
  boardTitle: 'Errand',
  hideRedisDetails: true,
  hideDocsLink: true,
  showWorkers: false,
  locale: { lng: 'en-US' },
};

/** The queues of every shard that answers. */
async function allQueues(queues: Queues): Promise<ShownQueue[]> {
  const shards = (queues.shards?.all ?? [queues]).map(async (shard) => {
    const labelled = (await shard.labelled()).map((name) => shard.of(name));
    return [...Object.values(shard.byName), ...labelled, shard.deliveries];
  });
  const settled = await Promise.allSettled(shards);
  return settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}
