/** What a thread loads: the nodes, and with them their computations. */
export { nodes } from './index.js';
export { runComputation as run } from './computation.js';
