import { buffer } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { pack, type Header } from 'tar-stream';
import { cleanName, readArchive } from './read-archive.js';

async function archive(entries: [Partial<Header> & { name: string }, string?][]): Promise<Buffer> {
  const tar = pack();
  for (const [header, text] of entries) tar.entry(header, text ?? '');
  tar.finalize();
  return buffer(tar);
}

describe('readArchive', () => {
  it('readArchive returns regular files with their digest', async () => {
    const { files, unnamable } = await readArchive(
      await archive([
        [{ name: 'a.txt' }, 'hello'],
        [{ name: 'charts/b.png' }, 'png'],
      ]),
    );
    expect(files.map(({ name, bytes, sha256 }) => [name, bytes.toString(), sha256.slice(0, 8)])).toEqual([
      ['a.txt', 'hello', '2cf24dba'],
      ['charts/b.png', 'png', '8f8cbb7d'],
    ]);
    expect(unnamable).toEqual([]);
  });

  it('readArchive returns only regular files, each name once', async () => {
    const { files, unnamable } = await readArchive(
      await archive([
        [{ name: 'link', type: 'symlink', linkname: '/etc/passwd' }],
        [{ name: 'hard', type: 'link', linkname: 'a' }],
        [{ name: 'folder', type: 'directory' }],
        [{ name: 'fifo', type: 'fifo' }],
        [{ name: 'device', type: 'character-device' }],
        [{ name: '../../a' }, 'first'],
        [{ name: '/a' }, 'second'],
      ]),
    );
    expect(files.map(({ name, bytes }) => [name, bytes.toString()])).toEqual([['a', 'first']]);
    expect(unnamable).toEqual(['/a']);
  });

  it('readArchive reports names that it cannot keep, masked and cut', async () => {
    const long = `secret${'x'.repeat(300)}`;
    const { files, unnamable } = await readArchive(
      await archive([
        [{ name: long }, 'long'],
        [{ name: '...' }, 'nothing left'],
        [{ name: 'a' }, 'a'],
      ]),
      (name) => name.replace('secret', '[secret KEY]'),
    );
    expect(files.map(({ name }) => name)).toEqual(['a']);
    expect(unnamable).toEqual([`[secret KEY]${'x'.repeat(28)}…`, '...']);
  });

  it('readArchive fails on data that is not an archive', async () => {
    await expect(readArchive(Buffer.alloc(1024, 'x'))).rejects.toThrow();
  });
});

describe('cleanName', () => {
  it.each([
    ['report.csv', 'report.csv'],
    ['über uns (2).html', 'über uns (2).html'],
    ['/etc/passwd', 'etc/passwd'],
    ['a/../../b', 'a/b'],
    ['.hidden/..', 'hidden'],
    ['a\r\nSet-Cookie: x"', 'a__Set-Cookie_ x_'],
    ['C:\\windows', 'C__windows'],
    ['..', undefined],
    ['x'.repeat(300), undefined],
  ])('cleanName turns %j into %j', (name, clean) => {
    expect(cleanName(name)).toBe(clean);
  });

  it('No part of a clean name is empty, hidden or special', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const parts = cleanName(name)?.split('/') ?? ['x'];
        expect(parts.every((part) => part !== '' && !/^\.|[\p{C}\\"]/u.test(part))).toBe(true);
      }),
    );
  });
});
