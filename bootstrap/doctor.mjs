import { statfsSync } from 'node:fs';
import { checkLibraryFiles } from './app-command.mjs';
import { dockerClient, engineVersion, noEngine } from './docker-engine.mjs';
import { doctorQueues } from './doctor-queues.mjs';
import { doctorSandbox } from './doctor-sandbox.mjs';
import { CODE, SANDBOX } from './ensure.mjs';
import { redis } from './needs/redis.mjs';
import { bad, good, heading, say, warn } from './report.mjs';
import { dockerIsForbidden, ROOT } from './settings.mjs';
import { servers } from './server-checks.mjs';
import { SetupError } from './setup-error.mjs';
import { dataFolder, port, runners, stack } from './stack-checks.mjs';

const NEEDED_GB = 3;
/** The first releases of each line without the container escapes of November 2025 (CVE-2025-31133, -52565, -52881). */
const PATCHED_RUNC = [
  [1, 2, 8],
  [1, 3, 3],
];

const node = { title: 'Node.js', check: async () => `${process.versions.node}, ${process.execPath}` };

const disk = {
  title: 'disk',
  async check() {
    const { bavail, bsize } = statfsSync(ROOT);
    const gb = (bavail * bsize) / 1e9;
    if (gb < NEEDED_GB)
      throw new SetupError(
        `${gb.toFixed(1)} GB are free, but images and packages take ${NEEDED_GB} GB`,
        'free space on the disk',
      );
    return `${gb.toFixed(0)} GB free`;
  },
};

const runc = {
  title: 'runc',
  async check() {
    if (dockerIsForbidden()) return 'not checked';
    const engine = await engineVersion();
    if (!engine) throw noEngine();
    const version = engine.Components?.find(({ Name }) => Name === 'runc')?.Version;
    if (!version) return 'unknown: the engine does not say';
    if (isPatched(version)) return version;
    throw new SetupError(
      `${version} is possibly not patched (1.2.8 and 1.3.3 are; distributions can patch older versions)`,
      'run the script-runner on its own host, update runc, or install gVisor and set ERRAND_SANDBOX_RUNTIME=runsc',
    );
  },
};

const library = {
  title: 'library',
  async check() {
    const found = await checkLibraryFiles();
    if (!found) return 'not checked: dist/ is missing';
    if (found.problems.length === 0) return `${found.tools} tools, no problems`;
    throw new SetupError(found.problems.join('\n'), 'edit the files; `./errand tools check` checks them again');
  },
};

const runtimes = {
  title: 'runtimes',
  async check() {
    if (dockerIsForbidden()) return 'not checked';
    if (!(await engineVersion())) throw noEngine();
    const wanted = process.env.ERRAND_SANDBOX_RUNTIME || 'runc';
    const there = Object.keys((await (await dockerClient()).info()).Runtimes ?? {}).filter(
      (name) => !name.includes('.'),
    );
    const missing = ['runc', 'crun', 'runsc'].filter((name) => !there.includes(name));
    const shown = `${there.join(', ')}; missing: ${missing.join(', ') || 'none'}`;
    if (there.includes(wanted)) return shown;
    throw new SetupError(
      `ERRAND_SANDBOX_RUNTIME is ${wanted}, but the engine has ${shown}`,
      `install ${wanted} and name it under "runtimes" in /etc/docker/daemon.json, or choose another runtime`,
    );
  },
};

/** Checks everything and changes nothing. Exit code 1 if a required thing is missing or broken. */
export async function doctor({ options }) {
  if (options.sandbox) return doctorSandbox();
  if (options.queues) return doctorQueues();
  heading('Required');
  let broken = 0;
  for (const need of [node, ...CODE, redis, disk, dataFolder, port]) if (!(await runCheck(need, bad))) broken++;
  heading('The running stack');
  await runCheck(stack, warn);
  heading('For scripts in sandboxes');
  for (const need of [...SANDBOX, runc, runtimes, runners]) await runCheck(need, warn);
  heading('Your tools');
  await runCheck(library, warn);
  await runCheck(servers, warn);
  say(
    broken === 0
      ? '\nNothing required is missing.'
      : `\n${broken} required ${broken === 1 ? 'thing is' : 'things are'} missing.`,
  );
  return broken === 0 ? 0 : 1;
}

async function runCheck({ title, check, fix }, complain) {
  try {
    const there = await check();
    if (there) good(title, there);
    else complain(title, new SetupError('missing or out of date', `${fix}; ./errand up does it too`));
    return Boolean(there);
  } catch (error) {
    // The client of the engine is an npm package.
    complain(
      title,
      error.code === 'ERR_MODULE_NOT_FOUND'
        ? new SetupError('cannot be checked without npm packages', 'run `npm ci`')
        : error,
    );
    return false;
  }
}

/** Whether a version is patched: at least the patched release of its line, or newer than all lines. */
export function isPatched(version) {
  const [major, minor, patch] = version.split(/[.+~-]/).map(Number);
  const line = PATCHED_RUNC.find((patched) => patched[0] === major && patched[1] === minor);
  if (line) return patch >= line[2];
  const [newestMajor, newestMinor] = PATCHED_RUNC.at(-1);
  return major > newestMajor || (major === newestMajor && minor > newestMinor);
}
