/**
 * Ends what packages start for the whole life of a process. In production, a process has one API or one worker. A worker of Jest has a hundred
 * of them, one after the other, and each would go on for all later suites:
 *
 * - the histogram of the event loop's delay and the observer of garbage collections, which prom-client starts for each of them
 * - the stores of `AsyncLocalStorage` (playwright-core has one): while one is in use, Node.js 20 calls a hook for each promise
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const perfHooks = require('node:perf_hooks');

/** Returns a function that ends what was started since this call. */
module.exports = function noteLeftovers() {
  const { monitorEventLoopDelay, PerformanceObserver } = perfHooks;
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the store below
  const { run } = AsyncLocalStorage.prototype;
  const ends = new Set();
  const stores = new Set();
  perfHooks.monitorEventLoopDelay = (options) => {
    const histogram = monitorEventLoopDelay(options);
    ends.add(() => histogram.disable());
    return histogram;
  };
  perfHooks.PerformanceObserver = class extends PerformanceObserver {
    constructor(callback) {
      super(callback);
      ends.add(() => this.disconnect());
    }
  };
  AsyncLocalStorage.prototype.run = function runAndNote(...args) {
    stores.add(this);
    return run.apply(this, args);
  };
  return () => {
    for (const end of ends) end();
    for (const store of stores) store.disable();
    Object.assign(perfHooks, { monitorEventLoopDelay, PerformanceObserver });
    AsyncLocalStorage.prototype.run = run;
  };
};
