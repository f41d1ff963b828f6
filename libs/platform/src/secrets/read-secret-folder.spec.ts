import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSecretFolder } from './read-secret-folder.js';

const folder = mkdtempSync(join(tmpdir(), 'errand-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('The secrets of a folder', () => {
  it('Each file with the name of a secret counts, and other files do not', async () => {
    for (const [name, value] of Object.entries({ API_KEY: 'one\n', EMPTY: '', PATH: '/bin', 'a.txt': 'x' }))
      writeFileSync(join(folder, name), value);
    expect(await readSecretFolder(folder)).toEqual({ API_KEY: 'one' });
  });

  it('A folder that does not exist has no secrets, and one that cannot be read is an error', async () => {
    expect(await readSecretFolder(join(folder, 'none'))).toEqual({});
    mkdirSync(join(folder, 'DIRECTORY'));
    await expect(readSecretFolder(folder)).rejects.toThrow('EISDIR');
    await expect(readSecretFolder(join(folder, 'API_KEY'))).rejects.toThrow('ENOTDIR');
  });
});
