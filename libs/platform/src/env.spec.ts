import { EnvironmentError, readSettings } from './env.js';
import { boolean, bytes, integer, optional, setting } from './parsers.js';

const TABLE = {
  ERRAND_PORT: setting('the port', integer(0, 65_535), '3000'),
  ERRAND_OPEN: setting('whether it is open', boolean, 'false'),
  ERRAND_LIMIT: setting('the limit', bytes, '1mb'),
  ERRAND_NAME: optional('a name', String),
};
const read = (env: Record<string, string>) => readSettings(TABLE, env, Object.keys(TABLE));

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems;
  }
  throw new Error('the environment was accepted');
}

describe('The environment', () => {
  it('Missing settings get their defaults, or undefined without a default', () => {
    expect(read({})).toEqual({
      ERRAND_PORT: 3000,
      ERRAND_OPEN: false,
      ERRAND_LIMIT: 1_048_576,
      ERRAND_NAME: undefined,
    });
  });

  it('An empty value counts as missing, as in compose files', () => {
    expect(read({ ERRAND_PORT: '' }).ERRAND_PORT).toBe(3000);
  });

  it('All problems are reported together, with the nearest setting name', () => {
    const problems = problemsOf({ ERRAND_PROT: '1', ERRAND_PORT: '70000', ERRAND_OPEN: 'TRUE' });
    expect(problems).toHaveLength(3);
    expect(problems[0]).toContain('did you mean ERRAND_PORT?');
    expect(problems[1]).toContain('ERRAND_PORT="70000": must be a whole number from 0 to 65535');
    expect(problems[2]).toContain('must be true or false');
  });

  it.each(['TRUE', '1', 'yes', 'on', 'True'])('The value %s is not a boolean', (text) => {
    expect(problemsOf({ ERRAND_OPEN: text })).toHaveLength(1);
  });

  it.each([
    ['512kb', 524_288],
    ['2MB', 2_097_152],
    ['77', 77],
  ])('The value %s is a size', (text, size) => {
    expect(read({ ERRAND_LIMIT: text }).ERRAND_LIMIT).toBe(size);
  });

  it.each(['0', '-1', '1.5mb', '2000mb', 'much'])('The value %s is not a size', (text) => {
    expect(problemsOf({ ERRAND_LIMIT: text })).toHaveLength(1);
  });

  it('Variables of other programs are ignored', () => {
    expect(read({ PATH: '/bin', REDIS_URL: 'x' }).ERRAND_PORT).toBe(3000);
  });
});
