import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hintOf } from '@errand/platform';
import { parseFolderPolicy, SharedFolders } from './shared-folders.js';

describe('SharedFolders', () => {
  const root = mkdtempSync(join(tmpdir(), 'errand-files-'));
  const folders = new SharedFolders(
    root,
    parseFolderPolicy(['reports:ro', 'scratch:rw', 'out:ro', 'file:ro', 'gone:ro', 'alias:ro']),
  );
  beforeAll(() => {
    for (const folder of ['reports/2026', 'scratch/inner', 'other']) mkdirSync(join(root, folder), { recursive: true });
    symlinkSync('/etc', join(root, 'out'));
    symlinkSync(join(root, 'other'), join(root, 'alias'));
    symlinkSync('/etc', join(root, 'reports/escape'));
    writeFileSync(join(root, 'file'), '');
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const read = (folder: string) => folders.mountsFor('a:b', { allowRead: [folder] });

  it('Folders that the tool and the operator allow are mounted, to read or to write', async () => {
    expect(await folders.mountsFor('a:b', { allowRead: ['reports/2026', 'scratch'], allowWrite: ['scratch'] })).toEqual(
      [
        { source: join(root, 'scratch'), target: '/data/scratch', readOnly: false },
        { source: join(root, 'reports/2026'), target: '/data/reports/2026', readOnly: true },
      ],
    );
    expect(await folders.mountsFor('a:b', {})).toEqual([]);
    expect(await read('alias')).toEqual([{ source: join(root, 'other'), target: '/data/alias', readOnly: true }]);
  });

  it.each([
    ['other', 'the operator does not allow it', 'add other:ro to ERRAND_FILES_ALLOW'],
    ['report', 'the operator does not allow it', 'did you mean reports?'],
    ['scratch/inner', 'the operator does not allow it', 'add scratch/inner:ro'],
    ['out', 'it is a link', 'leads out of ERRAND_FILES_DIR'],
    ['reports/escape', 'it is a link', 'leads out of ERRAND_FILES_DIR'],
    ['reports/../other', 'it must be a plain path', ''],
    ['/etc', 'it must be a plain path', ''],
    ['', 'it must be a plain path', ''],
    ['gone', 'it does not exist', 'below ERRAND_FILES_DIR'],
    ['file', 'it is not a folder', 'below ERRAND_FILES_DIR'],
  ])(
    'A tool that asks for the folder %j gets the reason of the refusal, and the operator gets a hint',
    async (folder, why, hint) => {
      const error: unknown = await read(folder).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ type: 'SecurityError', message: expect.stringContaining(why) });
      expect(error).toHaveProperty('message', expect.not.stringMatching(/ERRAND_|did you mean/));
      expect(hintOf(error) ?? '').toContain(hint);
    },
  );

  it('The entry * mounts all folders of the policy, and none without a policy', async () => {
    const some = new SharedFolders(root, parseFolderPolicy(['reports:ro', 'scratch:rw']));
    const names = async (access: { allowRead?: string[]; allowWrite?: string[] }) =>
      (await some.mountsFor('a:b', access)).map(({ target, readOnly }) => `${target} ${readOnly ? 'ro' : 'rw'}`);
    expect(await names({ allowRead: ['*'] })).toEqual(['/data/reports ro', '/data/scratch ro']);
    expect(await names({ allowWrite: ['*'] })).toEqual(['/data/scratch rw']);
    expect(await names({ allowRead: ['*', 'reports'], allowWrite: ['*'] })).toEqual([
      '/data/scratch rw',
      '/data/reports ro',
    ]);
    const none = new SharedFolders(root, parseFolderPolicy([]));
    expect(await none.mountsFor('a:b', { allowRead: ['*'], allowWrite: ['*'] })).toEqual([]);
  });

  it('A tool cannot write to a read-only folder or below a writable one', async () => {
    for (const folder of ['reports', 'scratch/inner']) {
      await expect(folders.mountsFor('a:b', { allowWrite: [folder] })).rejects.toThrow('does not allow');
    }
  });

  it.each([
    [['reports'], "'reports' must be a folder below ERRAND_FILES_DIR"],
    [['/etc:ro'], "'/etc:ro' must be a folder"],
    [['a/../b:rw'], "'a/../b:rw' must be a folder"],
    [['a:rw', 'a/b:ro'], "'a/b' is in 'a', which scripts may write"],
  ])('The policy %j is refused', (entries, message) => {
    expect(() => parseFolderPolicy(entries)).toThrow(message);
  });
});
