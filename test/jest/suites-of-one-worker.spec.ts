import { AsyncLocalStorage, executionAsyncId } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import perfHooks from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { runInThisContext } from 'node:vm';
import { Redis } from 'ioredis';
import { parseLabels } from '@errand/contracts';
import { Metrics } from '@errand/platform';

interface Environment {
  teardown(): Promise<void>;
}
type EnvironmentClass = new (options: { projectConfig: object }) => Environment;

async function newEnvironment(): Promise<Environment> {
  const file: string = join(__dirname, 'own-realm-environment.cjs');
  const { default: OwnRealmEnvironment } = (await import(file)) as { default: EnvironmentClass };
  return new OwnRealmEnvironment({ projectConfig: { fakeTimers: {} } });
}

describe('The suites of one worker of Jest', () => {
  it('A suite runs in the realm of the process, where globals are no proxies', () => {
    expect(runInThisContext('[Array, Error, globalThis]')).toEqual([Array, Error, globalThis]);
  });

  it('Node.js loads the packages and the sources of Errand, and Jest loads the files of tests for each suite', () => {
    expect([typeof Redis, typeof Metrics]).toEqual(['function', 'function']);
    const ofJest = Object.keys(require.cache);
    expect(ofJest.filter((path) => /\/node_modules\/|\/libs\/[^/]+\/src\//.test(path))).toEqual([]);
    expect(ofJest).toContain(__filename);
  });

  it('The stack of an error has the lines of the sources', () => {
    const file = join(__dirname, '../../libs/contracts/src/runner-label.ts');
    const lines = readFileSync(file, 'utf8').split('\n');
    const line = 1 + lines.findIndex((text) => text.includes('is no label'));
    expect(() => parseLabels(['No Label'])).toThrow(
      expect.objectContaining({ stack: expect.stringContaining(`${file}:${line}:`) }),
    );
  });

  it('No hook runs for the promises of a suite', async () => {
    // Without a hook, Node.js does not know in which call a promise was made.
    const inCallback = await Promise.resolve().then(() => executionAsyncId());
    expect(inCallback).toBe(0);
  });

  it('The end of a suite ends stores, observers and histograms that were started in it', async () => {
    const environment = await newEnvironment();
    const store = new AsyncLocalStorage<string>();
    const seen: number[] = [];
    const observer = new perfHooks.PerformanceObserver(() => seen.push(1));
    observer.observe({ entryTypes: ['measure'] });
    const histogram = perfHooks.monitorEventLoopDelay({ resolution: 1 });
    histogram.enable();
    await store.run('value', async () => {
      await environment.teardown();
      performance.measure('after the end');
      await setImmediate();
      expect([store.getStore(), seen]).toEqual([undefined, []]);
    });
    // `disable` returns true only for a histogram that is enabled.
    expect(histogram.disable()).toBe(false);
  });

  it('The end of a suite restores globals, environment variables, listeners and the current folder', async () => {
    const environment = await newEnvironment();
    const [folder, path, json] = [process.cwd(), process.env['PATH'], JSON];
    const listeners = process.listenerCount('SIGUSR2');
    process.chdir('/');
    process.env['PATH'] = 'changed';
    process.env['ERRAND_LEFT'] = 'new';
    process.on('SIGUSR2', () => {});
    Object.assign(globalThis, { left: true, JSON: {} });
    await environment.teardown();
    expect([process.cwd(), process.env['PATH'], JSON]).toEqual([folder, path, json]);
    expect(['left' in globalThis, process.env['ERRAND_LEFT']]).toEqual([false, undefined]);
    expect(process.listenerCount('SIGUSR2')).toBe(listeners);
  });
});
