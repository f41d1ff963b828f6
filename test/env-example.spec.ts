import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_SETTINGS, API_SETTINGS, readProcessSettings } from '@errand/platform';

/** `# NAME=value` or `NAME=value` → name and value. */
const lines = readFileSync(join(__dirname, '../.env.example'), 'utf8')
  .split('\n')
  .map((line) => /^#? ?(ERRAND_\w+)=(.*)$/.exec(line))
  .filter((match) => match !== null)
  .map(([, name, value]) => [name!, value!] as const);

describe('The file .env.example', () => {
  it('The file .env.example lists every setting once and nothing else', () => {
    expect(lines.map(([name]) => name).toSorted()).toEqual(Object.keys(ALL_SETTINGS).toSorted());
  });

  it.each(lines)('The file .env.example gives %s its default', (name, value) => {
    expect(value).toBe(ALL_SETTINGS[name]!.fallback ?? '');
  });

  it.each(Object.entries(ALL_SETTINGS))(
    'The default of %s is valid for its own parser',
    (_name, { fallback, parse }) => {
      expect(() => (fallback === undefined ? undefined : parse(fallback))).not.toThrow();
    },
  );

  it('A process does not start with an unknown ERRAND_ name in its environment', () => {
    expect(() => readProcessSettings(API_SETTINGS, { ERRAND_WORKER_CONCURENCY: '5' })).toThrow(
      'did you mean ERRAND_WORKER_CONCURRENCY?',
    );
  });

  it('The API refuses the key of a client in place of its own keys', () => {
    const client = { ERRAND_API_KEY: 'a-key-of-sixteen-chars' };
    expect(() => readProcessSettings(API_SETTINGS, client)).toThrow('did you mean ERRAND_API_KEYS?');
    const both = { ...client, ERRAND_URL: 'https://errand.example' };
    expect(readProcessSettings(API_SETTINGS, both).ERRAND_PORT).toBe(3000);
  });

  it('A process accepts the settings of the other processes in its environment', () => {
    expect(readProcessSettings(API_SETTINGS, { ERRAND_WORKER_CONCURRENCY: '5' }).ERRAND_PORT).toBe(3000);
  });
});
