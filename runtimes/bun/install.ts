/**
 * Installs what a script depends on, in a container of its own whose files are then kept as an image: the sibling of
 * `runtimes/python/install.py`. On stdin {"files", "registry", "ignoreScripts", "authorities"}: the manifest and its lock, by name; on
 * stdout what was installed. No package runs code of its own while `ignoreScripts` holds.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SITE = '/opt/errand/site';
const CACHE = join(SITE, '.cache');
const AUTHORITIES = '/tmp/authorities.crt';
/** Lock files that Bun holds itself to; of npm's, Yarn's and pnpm's it takes the versions over. */
const OWN_LOCKS = ['bun.lock', 'bun.lockb'];

interface Wish {
  files: Record<string, string>;
  registry: string;
  ignoreScripts: boolean;
  authorities?: string;
}

const { files, registry, ignoreScripts, authorities }: Wish = await Bun.stdin.json();
for (const [name, base64] of Object.entries(files)) writeFileSync(join(SITE, name), Buffer.from(base64, 'base64'));
const command = [
  process.execPath,
  'install',
  '--production',
  '--no-progress',
  '--backend=copyfile',
  '--registry',
  registry,
];
if (ignoreScripts) command.push('--ignore-scripts');
if (OWN_LOCKS.some((name) => name in files)) command.push('--frozen-lockfile');
else command.push('--save-text-lockfile');
if (authorities) {
  writeFileSync(AUTHORITIES, authorities);
  command.push('--cafile', AUTHORITIES);
}
const child = Bun.spawn(command, {
  cwd: SITE,
  env: { ...process.env, BUN_INSTALL_CACHE_DIR: CACHE },
  // What it prints is the log.
  stdio: ['ignore', Bun.stderr, 'inherit'],
});
const code = await child.exited;
rmSync(CACHE, { recursive: true, force: true });
if (code !== 0) process.exit(code);
console.log(JSON.stringify(Object.keys(files)));
