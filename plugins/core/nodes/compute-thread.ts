/** The module that a thread loads: the nodes with their computations. */
export { nodes } from './index.js';
export { runComputation as run } from './computation.js';
