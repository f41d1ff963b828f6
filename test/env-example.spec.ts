import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_SETTINGS, API_SETTINGS, readProcessSettings } from '@errand/platform';

/** `# NAME=value` or `NAME=value` → name and value. */
const lines = readFileSync(join(__dirname, '../.env.example'), 'utf8')
  .split('\n')
  .map((line) => /^#? ?(ERRAND_\w+)=(.*)$/.exec(line))
  .filter((match) => match !== null)
  .map(([, name, value]) => [name!, value!] as const);

describe('.env.example', () => {
  it('lists every setting once, and nothing else', () => {
    expect(lines.map(([name]) => name).toSorted()).toEqual(Object.keys(ALL_SETTINGS).toSorted());
  });

  it.each(lines)('gives %s its default', (name, value) => {
    expect(value).toBe(ALL_SETTINGS[name]!.fallback ?? '');
  });

  it.each(Object.entries(ALL_SETTINGS))('%s has a default that its own parser takes', (_name, { fallback, parse }) => {
    expect(() => (fallback === undefined ? undefined : parse(fallback))).not.toThrow();
  });

  it('stops a process whose environment has a name that no process knows', () => {
    expect(() => readProcessSettings(API_SETTINGS, { ERRAND_WORKER_CONCURENCY: '5' })).toThrow(
      'did you mean ERRAND_WORKER_CONCURRENCY?',
    );
  });

  it('lets one environment serve all processes', () => {
    expect(readProcessSettings(API_SETTINGS, { ERRAND_WORKER_CONCURRENCY: '5' }).ERRAND_PORT).toBe(3000);
  });
});
