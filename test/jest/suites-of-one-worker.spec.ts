import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { Redis } from 'ioredis';
import { Metrics } from '@errand/platform';

interface Environment {
  teardown(): Promise<void>;
}
type EnvironmentClass = new (options: { projectConfig: object }) => Environment;

describe('The suites of one worker of Jest', () => {
  it('A suite runs in the realm of the process, where globals are no proxies', () => {
    expect(runInThisContext('[Array, Error, globalThis]')).toEqual([Array, Error, globalThis]);
  });

  it('Node.js loads the packages, and Jest loads the code of Errand for each suite', () => {
    expect([typeof Redis, typeof Metrics]).toEqual(['function', 'function']);
    const ofJest = Object.keys(require.cache);
    expect(ofJest.filter((path) => path.includes('/node_modules/'))).toEqual([]);
    expect(ofJest.some((path) => path.includes('/libs/platform/src/'))).toBe(true);
  });

  it('The end of a suite restores globals, environment variables, listeners and the current folder', async () => {
    const file: string = join(__dirname, 'own-realm-environment.cjs');
    const { default: OwnRealmEnvironment } = (await import(file)) as { default: EnvironmentClass };
    const environment = new OwnRealmEnvironment({ projectConfig: { fakeTimers: {} } });
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
