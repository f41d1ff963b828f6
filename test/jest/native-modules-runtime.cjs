/**
 * Jest's module system with three differences.
 *
 * - Node.js loads packages and the sources of Errand, once for each worker process. Jest would read, compile and evaluate each of their files
 *   for each suite, and V8 would optimize them anew. Jest loads the files of tests, so that each suite evaluates them anew.
 * - The compiled function of a file is kept for the later suites of the worker.
 * - Jest's own code gets a `SerialStore` for `AsyncLocalStorage`.
 *
 * It belongs to `own-realm-environment.cjs`, because a package and the suite must have the same realm.
 */
const { createRequire } = require('node:module');
const { sep } = require('node:path');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const AsyncLocalStorage = require('./serial-store.cjs');
const sources = require('./native-sources.cjs');

const PACKAGES = `${sep}node_modules${sep}`;
const compiled = new Map();

module.exports = class NativeModulesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    this.executor.compile = (source, filename) => this.compile(source, filename);
    sources.transformWith(this.transformCache);
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (options?.isInternalModule && moduleName === 'node:async_hooks') return { AsyncLocalStorage };
    const { resolution } = this.executor;
    if (moduleName && !options?.isInternalModule && !resolution.isCoreModule(moduleName)) {
      const path = resolution.resolveCjs(from, moduleName);
      if (path.includes(PACKAGES) || sources.has(path)) return createRequire(from)(path);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }

  compile(source, filename) {
    const known = compiled.get(filename);
    if (known?.source === source) return known.run;
    const wrapped = `(function(${this.executor.injectedModuleParameters.join(',')}){${source}\n})`;
    const run = new Script(wrapped, { filename }).runInThisContext();
    compiled.set(filename, { source, run });
    return run;
  }
};
module.exports.default = module.exports;
