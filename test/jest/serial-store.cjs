/**
 * `AsyncLocalStorage` for callers that run one after the other: a variable. Jest keeps the current test in a store, and while a real one is in use,
 * Node.js 20 calls a hook for each promise of the process. No suite has concurrent tests. The difference: an error that a test throws after its
 * end counts for the test that runs then.
 */
module.exports = class SerialStore {
  getStore() {
    return this.store;
  }

  run(store, callback) {
    const { store: before } = this;
    const restore = () => void (this.store = before);
    this.store = store;
    let result;
    try {
      result = callback();
    } finally {
      if (!(result instanceof Promise)) restore();
    }
    return result instanceof Promise ? result.finally(restore) : result;
  }
};
