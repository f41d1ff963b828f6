// A thread loads this module before the run, so that the load of CEL takes nothing from the time of the computation. Where the sources run,
// as in tests, CEL is an ES module. Node.js 20 aborts the process if a thread is ended while `require` links one.
// oxlint-disable-next-line import/no-unassigned-import -- the import of a name would be lazy
import './cel-environment.js';

/** The module that a thread loads for computations with expressions. */
export * from './compute-thread.js';
