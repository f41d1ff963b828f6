import { EnvironmentError } from './env.js';
import { readProcessSettings } from './settings/read-process-settings.js';
import { WORKER_SETTINGS } from './settings/worker-settings.js';
import { parseWebhookSecret, parseWebhookSecrets } from './webhook-secret.js';

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('The webhook secret', () => {
  it.each([24, 25, 32, 64])('A webhook secret may have %i bytes', (bytes) => {
    expect(parseWebhookSecret(secretOf(bytes))).toBe(secretOf(bytes));
  });

  it.each([
    ['too short', secretOf(23)],
    ['too long', secretOf(65)],
    ['without its prefix', secretOf(32).slice(6)],
    ['not base64', 'whsec_this is no base64 but it is long enough for that'],
    ['in base64 of another alphabet', 'whsec_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_'],
    ['followed by other text', `${secretOf(32)}\n`],
    ['empty', ''],
  ])('A webhook secret that is %s is refused without showing it', (_what, text) => {
    expect(() => parseWebhookSecret(text)).toThrow('must be whsec_ and 24 to 64 bytes in base64');
    expect(() => parseWebhookSecret(text)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(text || '\0') }),
    );
  });

  it('Several webhook secrets may be set for rotation', () => {
    expect(parseWebhookSecrets(` ${secretOf(24)}  ${secretOf(32)} `)).toEqual([secretOf(24), secretOf(32)]);
    expect(() => parseWebhookSecrets(' ')).toThrow('must hold a secret');
  });
});

describe('The settings of callbacks', () => {
  const read = (env: Record<string, string>) => readProcessSettings(WORKER_SETTINGS, env);

  it('The default schedule of callbacks is that of the contract', () => {
    const minutes = read({}).ERRAND_CALLBACK_BACKOFF.map((ms) => ms / 60_000);
    expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
  });

  it('The schedule accepts fractions of seconds and nothing but numbers', () => {
    expect(read({ ERRAND_CALLBACK_BACKOFF: '0 0.05 2' }).ERRAND_CALLBACK_BACKOFF).toEqual([0, 50, 2_000]);
    expect(() => read({ ERRAND_CALLBACK_BACKOFF: '5 soon' })).toThrow(EnvironmentError);
    expect(() => read({ ERRAND_CALLBACK_BACKOFF: '5,300' })).toThrow(EnvironmentError);
  });

  it('The error for a refused secret does not show it', () => {
    const bad = 'whsec_tooshortbutsecret';
    expect(() => read({ ERRAND_WEBHOOK_SECRET: bad })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('tooshort') }),
    );
  });
});
