// Serves the page and the packages that it imports: `node examples/agui-page/serve.mjs [port]`.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const PACKAGES = join(HERE, '../../node_modules');
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript' };

/** Starts the server on 127.0.0.1. Port 0 takes a free one. @returns its address, and `close` */
export async function servePage({ port = 0 } = {}) {
  const server = createServer((request, response) => {
    respond(new URL(request.url, 'http://page').pathname, response).catch(() => end(response, 404, 'Not found'));
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => (server.close(), server.closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

async function respond(path, response) {
  if (path === '/') return send(join(HERE, 'index.html'), response);
  if (!path.startsWith('/node_modules/')) return end(response, 404, 'Not found');
  const file = join(PACKAGES, normalize(path.slice('/node_modules'.length)));
  if (!file.startsWith(PACKAGES)) return end(response, 404, 'Not found');
  if (extname(file) in TYPES) return send(file, response);
  // Some packages import their own files without the ending. A redirect keeps the imports of that file relative to it.
  const [found] = await Promise.all([`${path}.js`, `${path}/index.js`].map(exists)).then((all) => all.filter(Boolean));
  if (!found) return end(response, 404, 'Not found');
  response.writeHead(302, { location: found }).end();
}

async function exists(path) {
  const isThere = await readFile(join(PACKAGES, path.slice('/node_modules'.length))).catch(() => undefined);
  return isThere && path;
}

async function send(file, response) {
  const body = await readFile(file);
  response.writeHead(200, { 'content-type': TYPES[extname(file)] }).end(body);
}

function end(response, status, text) {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await servePage({ port: Number(process.argv[2] ?? 5173) });
  console.log(`The page is at ${url}. The API must run with ERRAND_ALLOWED_ORIGINS=${url}`);
}
