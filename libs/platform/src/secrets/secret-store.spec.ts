import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hintOf } from '../hinted-error.js';
import { parseSecretPolicy } from './secret-policy.js';
import { SecretStore } from './secret-store.js';

describe('SecretStore', () => {
  const folder = mkdtempSync(join(tmpdir(), 'errand-secrets-'));
  const store = new SecretStore(folder, parseSecretPolicy(['web:*=API_KEY,EMPTY,OTHER_KEY,PATH', 'db:read=DB_URL']));
  beforeAll(() => {
    writeFileSync(join(folder, 'API_KEY'), 's3cret\n');
    writeFileSync(join(folder, 'DB_URL'), 'postgres://x');
    writeFileSync(join(folder, 'EMPTY'), '\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('A tool gets its allowed secrets without the line break at the end', async () => {
    expect(await store.read('web:fetch', ['API_KEY', 'API_KEY'])).toEqual({ API_KEY: 's3cret' });
    writeFileSync(join(folder, 'API_KEY'), 'changed');
    expect(await store.read('web:fetch', ['API_KEY'])).toEqual({ API_KEY: 'changed' });
    expect(await store.read('db:read', [])).toEqual({});
  });

  it.each([
    ['db:read', 'API_KEY', 'the operator does not allow it', 'add db:read=API_KEY to ERRAND_SECRETS_ALLOW'],
    ['db:readmore', 'DB_URL', 'the operator does not allow it', 'add db:readmore=DB_URL'],
    ['web:fetch', 'OTHER_KEY', 'the operator has not set it', 'ERRAND_SECRETS_DIR has no file OTHER_KEY'],
    ['web:fetch', 'EMPTY', 'its value is empty', 'The file EMPTY in ERRAND_SECRETS_DIR'],
    ['web:fetch', '../API_KEY', 'this is not a valid name', ''],
    ['web:fetch', 'PATH', 'this is not a valid name', ''],
    ['web:fetch', 'ERRAND_REDIS_URL', 'this is not a valid name', ''],
    ['web:fetch', 'LD_PRELOAD', 'this is not a valid name', ''],
  ])(
    '%s does not get the secret %s: the tool gets the reason, and the operator a hint',
    async (toolId, name, why, hint) => {
      const error: unknown = await store.read(toolId, [name]).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        type: 'SecurityError',
        message: expect.stringMatching(new RegExp(`^${toolId} does not get the secret ${name}: ${why}`)),
      });
      expect(error).toHaveProperty('message', expect.not.stringMatching(/ERRAND_(SECRETS|\w+_ALLOW)/));
      expect(hintOf(error) ?? '').toContain(hint);
    },
  );

  it('A store without a folder has no secrets', async () => {
    const none = new SecretStore(undefined, parseSecretPolicy(['*=A_KEY']));
    await expect(none.read('a:b', ['A_KEY'])).rejects.toMatchObject({
      message: 'a:b does not get the secret A_KEY: this installation has no secrets',
      hint: expect.stringContaining('Set ERRAND_SECRETS_DIR'),
    });
  });

  it.each(['API_KEY', '=X', 'a:b=', 'a:b=*', 'a:b=x,Y'])('The entry %j of the policy is refused', (entry) => {
    expect(() => parseSecretPolicy([entry])).toThrow(`'${entry}' must say which tools get which secrets`);
  });
});
