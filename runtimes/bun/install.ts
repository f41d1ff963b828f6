/**
 * Installs the dependencies of a script in a container whose files are then kept as an image, like
 * `runtimes/python/install.py`. stdin has {"files", "registry", "ignoreScripts", "authorities"}, where `files` has the manifest
 * and its lock file by name. stdout gets the names of the files. With `ignoreScripts`, no package runs its own code.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SITE = '/opt/errand/site';
const CACHE = join(SITE, '.cache');
const AUTHORITIES = '/tmp/authorities.crt';
/** Lock files that Bun follows exactly. It only imports the versions of npm's, Yarn's and pnpm's lock files. */
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
  // The output of the installer is the log.
  stdio: ['ignore', Bun.stderr, 'inherit'],
});
const code = await child.exited;
rmSync(CACHE, { recursive: true, force: true });
if (code !== 0) process.exit(code);
console.log(JSON.stringify(Object.keys(files)));
