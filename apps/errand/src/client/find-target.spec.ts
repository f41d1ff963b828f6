import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordRunningStack } from '../running-stack.js';
import { namedTarget, requireTarget, type TargetOptions } from './find-target.js';

const PROFILES = `
prod: { url: https://prod.example, key: key-of-prod }
test: { url: http://test.example:3000 }
`;

/** A user's folder. Its name has a blank, as a person may choose it. */
let home: string;
const file = () => join(home, '.config/errand/profiles.yaml');

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'errand home '));
  write(PROFILES);
});
afterEach(() => rmSync(home, { recursive: true }));

function write(text: string, mode = 0o600): void {
  mkdirSync(join(file(), '..'), { recursive: true });
  writeFileSync(file(), text);
  chmodSync(file(), mode);
}

const surroundings = (env: Record<string, string>) => ({ HOME: home, ERRAND_DATA_DIR: join(home, 'data'), ...env });

/** The address and key that the options and the environment name. */
function named(options: TargetOptions, env: Record<string, string> = {}): (string | undefined)[] {
  const target = namedTarget(options, surroundings(env));
  return [target?.url, target?.key];
}

describe('The order of precedence', () => {
  const env = { ERRAND_URL: 'http://env.example', ERRAND_API_KEY: 'key-of-env' };

  it.each<[TargetOptions, Record<string, string>, (string | undefined)[]]>([
    [{ url: 'http://option.example', key: 'k' }, { ...env, ERRAND_PROFILE: 'prod' }, ['http://option.example', 'k']],
    [{ url: 'http://option.example', profile: 'prod' }, env, ['http://option.example', 'key-of-env']],
    [{ profile: 'prod' }, env, ['https://prod.example', 'key-of-prod']],
    [{ profile: 'prod', key: 'k' }, env, ['https://prod.example', 'k']],
    [{ profile: 'test' }, env, ['http://test.example:3000', 'key-of-env']],
    [{ url: 'http://option.example' }, env, ['http://option.example', 'key-of-env']],
    [{ key: 'k' }, env, ['http://env.example', 'k']],
    [{}, { ...env, ERRAND_PROFILE: 'prod' }, ['http://env.example', 'key-of-env']],
    [{}, { ERRAND_PROFILE: 'prod' }, ['https://prod.example', 'key-of-prod']],
    [{}, { ERRAND_PROFILE: 'prod', ERRAND_API_KEY: 'k' }, ['https://prod.example', 'k']],
    [{}, { ERRAND_URL: '', ERRAND_API_KEY: '', ERRAND_PROFILE: '' }, [undefined, undefined]],
  ])('The options %j with the environment %j name %j', (options, given, expected) => {
    expect(named(options, given)).toEqual(expected);
  });

  it('The key of a profile is for the host of the profile only', () => {
    expect(named({ profile: 'prod', url: 'https://other.example' })).toEqual(['https://other.example', undefined]);
    expect(named({ profile: 'prod', url: 'http://prod.example' })).toEqual(['http://prod.example', undefined]);
    expect(named({ profile: 'prod', url: 'https://prod.example/errand' })[1]).toBe('key-of-prod');
    expect(named({}, { ERRAND_PROFILE: 'prod', ERRAND_URL: 'https://other.example' })[1]).toBeUndefined();
  });

  it('The running stack is used last, with the first of its own keys', () => {
    expect(() => requireTarget({}, surroundings({}))).toThrow('Errand is not running');
    recordRunningStack(join(home, 'data'), 'http://127.0.0.1:3000');
    const keys = { ERRAND_API_KEYS: 'acme:0123456789abcdef fedcba9876543210' };
    expect(requireTarget({}, surroundings(keys))).toMatchObject({
      url: 'http://127.0.0.1:3000',
      key: '0123456789abcdef',
    });
    expect(requireTarget({ profile: 'test' }, surroundings(keys))).not.toHaveProperty('key');
  });

  it('The options of a hint name the same Errand, without the key', () => {
    const { again } = requireTarget(
      { profile: 'prod', key: 'secret', url: 'https://prod.example/a' },
      surroundings({}),
    );
    expect(again).toBe(' --profile prod --url https://prod.example/a');
  });
});

describe('The profiles', () => {
  it('A relative XDG_CONFIG_HOME is ignored, and an absolute one replaces ~/.config', () => {
    expect(named({ profile: 'test' }, { XDG_CONFIG_HOME: 'elsewhere' })[0]).toBe('http://test.example:3000');
    expect(() => named({ profile: 'test' }, { XDG_CONFIG_HOME: join(home, 'none') })).toThrow(
      `Profile 'test' cannot be read from ${join(home, 'none')}/errand/profiles.yaml: it does not exist`,
    );
  });

  it.each([0o644, 0o640, 0o604, 0o660])('A file with keys and the permissions %s is refused', (mode) => {
    write(PROFILES, mode);
    expect(() => named({ profile: 'test' })).toThrow(/Other users may read .*`chmod 600 '.*profiles\.yaml'`/);
  });

  it('A file without keys may be read by everybody', () => {
    write('test: {url: http://test.example:3000}', 0o644);
    expect(named({ profile: 'test' })[0]).toBe('http://test.example:3000');
  });

  it.each([
    ['prdo', PROFILES, /has no profile 'prdo', did you mean 'prod'\?/],
    ['other', PROFILES, /has no profile 'other'; it has prod, test/],
    ['__proto__', PROFILES, /has no profile '__proto__'/],
    ['a', 'a: {url: https://a.example, kye: secret-text}', /unknown field 'kye': it may have url and key/],
    ['a', 'a: {url: https://a.example, key:secret-text}', /unknown field 'key': it may have url and key/],
    [
      'a',
      'a: {url: localhost:3000, key: secret-text}',
      /The url of profile 'a' in .* did you mean http:\/\/localhost:3000\?/,
    ],
    ['a', 'a: {key: secret-text}', /Profile 'a' in .* needs a url/],
    ['a', 'a: {url: https://a.example, key: 12}', /has a key that is not text/],
    ['a', 'a: {url: https://a.example, key: "secret-text\\r\\nx: y"}', /must be visible ASCII characters/],
    ['a', 'a: {url: https://a.example,\n  key: secret-text', /profiles\.yaml, line 2 is not valid YAML/],
    ['a', '- a', /must map names to profiles/],
    ['a', 'a: &x {url: https://a.example, key: secret-text}\nb: *x', /is not valid YAML/],
  ])('The profile %s of the file %j is refused without its key', (name, text, message) => {
    write(text);
    const refused = () => named({ profile: name });
    expect(refused).toThrow(message);
    expect(refused).not.toThrow('secret-text');
  });
});
