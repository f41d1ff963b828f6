import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryOfUser } from './new-plugin.js';

describe('The library of the user', () => {
  let top: string;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'errand-top-'));
    mkdirSync(join(top, 'examples/plugins'), { recursive: true });
    mkdirSync(join(top, 'mine'));
    symlinkSync(join(top, 'examples'), join(top, 'link'));
  });
  afterEach(() => rmSync(top, { recursive: true }));

  const at = (name: string) => join(top, name);

  it('The first folder outside of the examples is the library of the user', () => {
    expect(libraryOfUser([at('examples'), at('mine'), at('other')], top)).toBe(at('mine'));
    expect(libraryOfUser([at('absent')], top)).toBe(at('absent'));
  });

  it.each([[[]], [['examples']], [['examples/plugins']], [['link']], [['examples/']]])(
    'The library of the user is `library` if ERRAND_LIBRARY has only %j',
    (names: string[]) => {
      expect(libraryOfUser(names.map(at), top)).toBe(at('library'));
    },
  );
});
