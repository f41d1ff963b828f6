/**
 * The flags of V8 with which the cache of `code-cache.cjs` is recorded and used. V8 rejects data that were made with other flags, and compiles
 * the file again. The API and the worker set the second one at their start.
 *
 * NODE_OPTIONS cannot have them. A process that loads this file by `--require`, before that cache, sets them itself.
 */
const { setFlagsFromString } = require('node:v8');
const { isMainThread } = require('node:worker_threads');

const FLAGS = [
  '--interrupt-budget=1000000',
  '--no-allocation-site-pretenuring',
  // When a process has been idle for eight seconds, V8 compacts its heap three times. These processes end soon after.
  '--no-memory-reducer',
];

/** `./errand up` starts the stack with another value. The heap has it by now, and V8 compares only the current values of flags. */
const RECORDED = ['--max-semi-space-size=0'];

if (module.parent?.id === 'internal/preload' && isMainThread)
  for (const flag of [...FLAGS, ...RECORDED]) setFlagsFromString(flag);

module.exports = { FLAGS };
