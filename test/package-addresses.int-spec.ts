import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const MODULE = join(__dirname, '../bootstrap/needs/install-by-address.mjs');

function addAddresses(packages: object): unknown {
  const code = `import { addAddresses } from ${JSON.stringify(MODULE)};
    const { packages } = addAddresses(${JSON.stringify({ packages })}, 'https://registry.example/npm');
    process.stdout.write(JSON.stringify(Object.entries(packages).map(([path, { resolved = 'none' }]) => [path, resolved])));`;
  const args = ['--input-type=module', '-e', code];
  return Object.fromEntries(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as []);
}

describe('The lock file of the set-up', () => {
  it('Each package of a registry gets its address, and a package with an address keeps it', () => {
    const found = addAddresses({
      '': { version: '1.0.0' },
      'node_modules/a': { version: '1.2.3' },
      'node_modules/@s/b/node_modules/@t/c': { version: '2.0.0-rc.1' },
      'node_modules/alias': { name: '@t/real', version: '3.0.0' },
      'node_modules/git': { version: '1.0.0', resolved: 'git+https://git.example/it' },
      'node_modules/bundled': { version: '1.0.0', inBundle: true },
    });
    expect(found).toEqual({
      '': 'none',
      'node_modules/a': 'https://registry.example/npm/a/-/a-1.2.3.tgz',
      'node_modules/@s/b/node_modules/@t/c': 'https://registry.example/npm/@t/c/-/c-2.0.0-rc.1.tgz',
      'node_modules/alias': 'https://registry.example/npm/@t/real/-/real-3.0.0.tgz',
      'node_modules/git': 'git+https://git.example/it',
      'node_modules/bundled': 'none',
    });
  });
});
