export { ThreadPool, type ThreadPoolOptions, type ThreadRunOptions } from './thread-pool.js';
export { ThreadMemoryError, ThreadTimeoutError } from './thread-errors.js';
