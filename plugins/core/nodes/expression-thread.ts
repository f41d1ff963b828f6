// This module loads CEL. A thread loads the module before a computation begins, so the load does not count as time of the computation.
// In tests, which run the sources, CEL is an ES module. Node.js 20 aborts the process if a thread is ended while `require` links one.
// oxlint-disable-next-line import/no-unassigned-import -- the import of a name would be lazy
import './cel-environment.js';

/** The module that a thread loads for computations with expressions. */
export * from './compute-thread.js';
