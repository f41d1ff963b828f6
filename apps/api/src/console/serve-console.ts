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
  'cache-control': 'no-cache',
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
    // A refusal has these headers, too: nothing may keep it.
    void reply.headers(HEADERS);
    if (!existsSync(join(folder, 'index.html'))) throw notBuilt();
    return reply.sendFile('index.html', folder);
  };
  const options = { compress: false } as const;
  fastify.get('/console', (_request, reply) => reply.headers(HEADERS).redirect('/console/', 302));
  fastify.get('/console/', options, sendPage);
  fastify.get('/console/*', options, sendPage);
  fastify.get<{ Params: { '*': string } }>('/console/assets/*', options, (request, reply) => {
    const name = request.params['*'];
    void reply.headers(HEADERS);
    if (!ASSET.test(name) || !existsSync(join(folder, 'assets', name))) throw unknownAsset(name);
    void reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`);
    return reply.sendFile(`assets/${name}`, folder);
  });
}

/**
 * The target of a request, for Fastify. A path of the console that is no valid encoding becomes the beginning of its folder, because the router
 * refuses it, while the page can say what is wrong.
 */
export function targetOf({ url = '' }: { url?: string }): string {
  if (!url.startsWith('/console/')) return url;
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return url;
  } catch {
    return url.startsWith('/console/assets/') ? '/console/assets/' : '/console/';
  }
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
