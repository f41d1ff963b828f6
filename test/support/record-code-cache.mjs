/** Writes the cache of `code-cache.cjs`: starts every app of dist/ once, on a Redis of its own, and stores what was found and compiled. */
/* oxlint-disable eslint/no-underscore-dangle -- the hooks of Node.js have such names */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { CODE, FLAGS, INDEX, ROOT, compile, evaluate, origin } from './code-cache.cjs';

const require = createRequire(import.meta.url);

const STARTS = { api: 'startApi', worker: 'startWorker', 'script-runner': 'startScriptRunner' };
const COMMANDS = 'dist/apps/errand/src/commands';

const scripts = new Map();
const found = new Map();

function record() {
  for (const flag of FLAGS) setFlagsFromString(flag);
  const { _resolveFilename: resolve } = Module;
  const { _compile: compileModule } = Module.prototype;
  Module._resolveFilename = function (request, parent, isMain, options) {
    const path = resolve.call(this, request, parent, isMain, options);
    if (!options && parent?.filename && isAbsolute(path))
      found.set(JSON.stringify([dirname(parent.filename), request]), path);
    return path;
  };
  Module.prototype._compile = function (source, filename, format) {
    // Node.js also loads ES modules by `require`, and keeps no code of them.
    if (format === 'module') return compileModule.call(this, source, filename, format);
    const text = Module.wrap(source);
    const script = compile(text, filename);
    scripts.set(filename, { text, script });
    return evaluate(script, this, filename);
  };
}

/** Files are listed once; a request for a file that was not compiled here, such as JSON, is left to Node.js. */
function write() {
  const files = {};
  const parts = [];
  let at = 0;
  for (const [path, { text, script }] of scripts) {
    const [encoding, bytes] = encode(text);
    // After the starts, V8's data also have the functions that were called.
    const code = script.createCachedData();
    files[path] = [at, bytes.length, code.length, encoding];
    parts.push(bytes, code);
    at += bytes.length + code.length;
  }
  const numbers = new Map(Object.keys(files).map((path, number) => [path, number]));
  const byFolder = {};
  for (const [key, path] of found) {
    const [folder, request] = JSON.parse(key);
    if (numbers.has(path)) (byFolder[folder] ??= {})[request] = numbers.get(path);
  }
  writeFileSync(CODE, Buffer.concat(parts));
  // The index comes last, and at once: a process sees the whole cache or none.
  writeFileSync(`${INDEX}.new`, JSON.stringify({ origin: origin(), files, found: byFolder }));
  renameSync(`${INDEX}.new`, INDEX);
}

/** The bytes that V8 keeps for a text: it can copy them, while UTF-8 must be decoded. */
function encode(text) {
  const bytes = Buffer.from(text, 'latin1');
  return bytes.toString('latin1') === text ? ['latin1', bytes] : ['utf16le', Buffer.from(text, 'utf16le')];
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return String(port);
}

async function startAll(folder, port) {
  const env = {
    ERRAND_REDIS_URL: `redis://127.0.0.1:${port}`,
    ERRAND_REDIS_REPLY_MS: '60000',
    ERRAND_DATA_DIR: folder,
    ERRAND_LIBRARY: join(ROOT, 'examples'),
    ERRAND_LOG_LEVEL: 'silent',
    ERRAND_PORT: '0',
    ERRAND_POOL_MIN: '0',
    ERRAND_POOL_MAX: '0',
  };
  for (const [app, start] of Object.entries(STARTS))
    await require(join(ROOT, `dist/apps/${app}/src/start.js`))[start](env);
  // The first request loads its packages. Redis refuses it.
  const { createGuardedFetch } = require(join(ROOT, 'dist/libs/platform/src/guarded-fetch.js'));
  await createGuardedFetch({ allow: { hosts: ['localhost'], networks: [] } })(`http://localhost:${port}/`).catch(
    () => {},
  );
  for (const file of readdirSync(join(ROOT, COMMANDS))) if (file.endsWith('.js')) require(join(ROOT, COMMANDS, file));
}

/** An error ends the process with its stack. */
async function main() {
  rmSync(INDEX, { force: true });
  const folder = mkdtempSync(join(tmpdir(), 'errand-code-cache-'));
  const port = await freePort();
  const redis = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', folder], {
    stdio: 'ignore',
  });
  try {
    record();
    await startAll(folder, port);
    write();
  } finally {
    redis.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
process.exit(0);
