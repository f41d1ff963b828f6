import type { Language } from '@errand/contracts';
import { findManifest } from './find-manifest.js';

const find = (language: Language, entry: string, contents: Record<string, string>) => {
  const files = Object.entries({ [entry]: '', ...contents }).map(([path, text]) => ({
    path,
    base64: Buffer.from(text).toString('base64'),
  }));
  const manifest = findManifest({ language, entry, files });
  return manifest && [manifest.language, manifest.path, manifest.files.map(({ path }) => path).toSorted()];
};

describe('findManifest', () => {
  it('findManifest finds the manifest beside the entry, with the files that belong to it', () => {
    const files = {
      'requirements.txt': 'a',
      'requirements-more.txt': 'b',
      'constraints.txt': 'c',
      'notes.txt': '',
      'uv.lock': '',
    };
    expect(find('python', 'main.py', files)).toEqual([
      'python',
      'requirements.txt',
      ['constraints.txt', 'requirements-more.txt', 'requirements.txt', 'uv.lock'],
    ]);
    expect(find('bun', 'main.ts', { 'package.json': '{"dependencies":{"a":"1"}}', 'bun.lock': '' })).toEqual([
      'bun',
      'package.json',
      ['bun.lock', 'package.json'],
    ]);
    expect(find('nodejs', 'main.js', { 'package.json': '{"dependencies":{"a":"1"}}' })?.[0]).toBe('bun');
  });

  it('findManifest prefers requirements.txt to pyproject.toml, and the nearest folder', () => {
    const project = '[project]\ndependencies = ["a"]';
    expect(find('python', 'main.py', { 'requirements.txt': 'a', 'pyproject.toml': project })?.[1]).toBe(
      'requirements.txt',
    );
    expect(find('python', 'src/app/main.py', { 'pyproject.toml': project })?.[1]).toBe('pyproject.toml');
    expect(find('python', 'src/main.py', { 'src/requirements.txt': 'a', 'requirements.txt': 'b' })?.[1]).toBe(
      'src/requirements.txt',
    );
  });

  it('findManifest returns undefined if there is nothing to install', () => {
    expect(find('python', 'main.py', {})).toBeUndefined();
    expect(find('python', 'main.py', { 'requirements.txt': '# nothing\n\n' })).toBeUndefined();
    expect(find('python', 'main.py', { 'pyproject.toml': '[tool.black]\n' })).toBeUndefined();
    expect(find('bun', 'main.ts', { 'package.json': '{"type":"module","devDependencies":{"a":"1"}}' })).toBeUndefined();
    expect(find('python', 'main.py', { 'package.json': '{"dependencies":{"a":"1"}}' })).toBeUndefined();
  });

  it('findManifest returns a malformed manifest, because the installer reports the error', () => {
    expect(find('bun', 'main.ts', { 'package.json': '{' })?.[1]).toBe('package.json');
  });
});
