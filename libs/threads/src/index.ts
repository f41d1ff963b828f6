export { ThreadPool } from './thread-pool.js';
export { ThreadMemoryError, ThreadTimeoutError } from './thread-errors.js';
