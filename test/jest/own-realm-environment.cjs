/**
 * The test environment of every suite: the globals of the worker process itself.
 *
 * Jest's own environment makes a new V8 context for each suite, and each access to a global (`Object`, `JSON`, `Map`) goes through a proxy.
 * Packages would have to be evaluated in each context again. Here a suite runs in the realm of the process, as the code does in production,
 * so that `native-modules-runtime.cjs` can load packages and sources once. `teardown` restores the globals, the environment variables and the
 * listeners of the process, and ends what packages left running, so that no suite sees what an earlier one left.
 */
const { sep } = require('node:path');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const noteLeftovers = require('./leftovers.cjs');

const FRAMES = 10;
const PACKAGES = `${sep}node_modules${sep}`;

module.exports = class OwnRealmEnvironment {
  constructor({ projectConfig }) {
    this.restore = snapshot();
    this.endLeftovers = noteLeftovers();
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = new LegacyFakeTimers({
      config: projectConfig,
      global: globalThis,
      moduleMocker: this.moduleMocker,
      timerConfig: { idToRef: (id) => ({ id, ref() {}, unref() {} }), refToId: (timer) => timer?.id },
    });
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Jest sets 100. The code under test creates errors that nobody prints, and each frame costs time.
    Error.stackTraceLimit = FRAMES;
    // Jest has just set its own.
    // oxlint-disable-next-line typescript/unbound-method -- Jest's formatter is bound
    this.formatStack = Error.prepareStackTrace;
    Error.prepareStackTrace = leaveFramesOfPackages(this.formatStack);
  }

  async teardown() {
    Error.prepareStackTrace = this.formatStack;
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    this.restore();
    this.endLeftovers();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Never used: the runtime compiles for the realm of the process. Jest requires the method. */
  getVmContext() {
    return null;
  }
};

/**
 * A formatter of stacks that looks only for the sources of tests and of Errand. Jest's own looks for the source of each frame, in copies of
 * all frames. Playwright reads a stack of up to 50 frames for each call, and most of them are of packages or of Node.js.
 */
function leaveFramesOfPackages(format) {
  return (error, frames) => {
    const head = format(error, []);
    const line = (frame) =>
      isOfPackage(frame.getFileName()) ? `\n    at ${frame}` : format(error, [frame]).slice(head.length);
    return head + frames.map(line).join('');
  };
}

function isOfPackage(file) {
  return typeof file === 'string' && (file.startsWith('node:') || file.includes(PACKAGES));
}

/** Returns a function that undoes what a suite changes in the process. */
function snapshot() {
  const globals = Object.getOwnPropertyDescriptors(globalThis);
  const env = { ...process.env };
  const exit = Object.getOwnPropertyDescriptor(process, 'exit');
  const { exitCode } = process;
  const cwd = process.cwd();
  const listeners = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  return () => {
    for (const key of Reflect.ownKeys(globalThis)) if (!Object.hasOwn(globals, key)) delete globalThis[key];
    for (const [key, descriptor] of Object.entries(globals))
      if (descriptor.configurable) Object.defineProperty(globalThis, key, descriptor);
    for (const key of Object.keys(process.env)) if (!(key in env)) delete process.env[key];
    Object.assign(process.env, env);
    Object.defineProperty(process, 'exit', exit);
    process.exitCode = exitCode;
    if (process.cwd() !== cwd) process.chdir(cwd);
    for (const name of process.eventNames()) {
      const known = listeners.get(name) ?? [];
      for (const listener of process.rawListeners(name))
        if (!known.includes(listener)) process.removeListener(name, listener);
    }
  };
}
