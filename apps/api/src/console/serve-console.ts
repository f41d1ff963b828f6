import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '../http/problem-error.js';

/** The policy of every page of the console. No page needs more. */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** The routes of the console. They need no key, because they have no data. */
export const CONSOLE_ROUTES: readonly string[] = ['/console', '/console/', '/console/assets/*', '/console/*'];

const HEADERS = {
  'content-security-policy': CONSOLE_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};
const YEAR_SECONDS = 31_536_000;
/** A name of a file as the build writes it. Anything else is unknown, so that no path leads out of the folder. */
const ASSET = /^[\w-]+(?:\.[\w-]+)*\.(?:js|css|svg|woff2)$/;

/**
 * Serves the files of the console: one page for every address below `/console/`, and files named by their content. The page is read for
 * each request, so that it never names files of an older build.
 *
 * @param folder where the build of the console is; it may come or change while the API runs
 */
export async function serveConsole(fastify: FastifyInstance, folder: string): Promise<void> {
  // Loaded here, because an API without the console does not need it.
  const { default: statics } = await import('@fastify/static');
  await fastify.register(statics, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    index: false,
  });
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    if (!existsSync(join(folder, 'index.html'))) throw notBuilt();
    void reply.headers({ ...HEADERS, 'cache-control': 'no-cache' });
    return reply.sendFile('index.html', folder);
  };
  const options = { compress: false } as const;
  fastify.get('/console', (_request, reply) => reply.redirect('/console/', 302));
  fastify.get('/console/', options, sendPage);
  fastify.get('/console/*', options, sendPage);
  fastify.get<{ Params: { '*': string } }>('/console/assets/*', options, (request, reply) => {
    const name = request.params['*'];
    if (!ASSET.test(name) || !existsSync(join(folder, 'assets', name))) throw unknownAsset(name);
    void reply.headers({ ...HEADERS, 'cache-control': `public, max-age=${YEAR_SECONDS}, immutable` });
    return reply.sendFile(`assets/${name}`, folder);
  });
}

function notBuilt(): ProblemError {
  return new ProblemError('not_found', 'The console is not built: run `npm run build`. The API works without it');
}

function unknownAsset(name: string): ProblemError {
  return new ProblemError(
    'not_found',
    `The console has no file ${name.slice(0, 80)}; reload the page, which may be of an older version`,
  );
}
