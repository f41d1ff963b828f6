// Starts the API or the worker, and sends `{ready, pid}`. Each further message is answered with what the process has used since its start.
//   APP=api|worker, SURFACES=none leaves the code of MCP, AG-UI and A2A out of the API
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const SDKS = /node_modules\/(@modelcontextprotocol|@ag-ui|@a2a-js)\/[^/]+/;
const SURFACE = /^\.\.?\/(mcp|agui|a2a)\//;

/** A module without effect: a constant in capitals is an empty list, any other export an empty function. */
const NOTHING = new Proxy({}, { get: (_, name) => (/^[A-Z_\d]+$/.test(String(name)) ? [] : function nothing() {}) });

function leaveSurfacesOut() {
  const Module = require('node:module');
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its module
  const load = Module.prototype.require;
  Module.prototype.require = function requireOthers(name) {
    return SURFACE.test(name) ? NOTHING : load.call(this, name);
  };
  const { CONTROLLERS } = require('../../dist/apps/api/src/http/controllers.js');
  const others = CONTROLLERS.filter(({ name }) => name !== 'nothing');
  CONTROLLERS.splice(0, CONTROLLERS.length, ...others);
}

function report() {
  const { user, system } = process.cpuUsage();
  globalThis.gc();
  const { heapUsed } = process.memoryUsage();
  const packages = Object.keys(require.cache).flatMap(
    (path) => SDKS.exec(path)?.[0].replace('node_modules/', '') ?? [],
  );
  return { cpuMs: (user + system) / 1_000, heapMb: heapUsed / 2 ** 20, packages };
}

if (process.env.SURFACES === 'none') leaveSurfacesOut();
const [app, start] = { api: ['api', 'startApi'], worker: ['worker', 'startWorker'] }[process.env.APP];
delete process.env.APP;
delete process.env.SURFACES;
const running = await require(`../../dist/apps/${app}/src/start.js`)[start](process.env);
process.on('message', () => process.send(report()));
process.send({ ready: running.url ?? true });
