import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { aptInstall } from '../apt.mjs';
import { dockerClient, followWork, inspectImage } from '../docker-engine.mjs';
import { findProgram, runCommand } from '../run-command.mjs';
import { DATA_DIR } from '../settings.mjs';
import { SetupError } from '../setup-error.mjs';

const IMAGE = 'debian:bookworm-slim';
/** A pull without progress for this time is given up. */
const SILENCE_MS = 30_000;
const LIMIT_MS = 600_000;
/** The folders that a slim image does not need. */
const LEFT_OUT = [
  'var/lib/apt/lists',
  'var/cache/apt',
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
];

/** The base of all images that Errand builds. */
export const baseImage = {
  title: 'base image',
  fix: `run \`docker pull ${IMAGE}\``,
  async check() {
    const image = await inspectImage(IMAGE);
    return image && IMAGE;
  },
  async make(report) {
    report(`pulling ${IMAGE}`);
    const refusal = await pull().catch((error) => error);
    if (!refusal) return `${IMAGE}, pulled`;
    report('no image registry answers: making the image from Debian packages, about a minute');
    await makeFromPackages(refusal);
    return `${IMAGE}, made with debootstrap`;
  },
};

async function pull() {
  const docker = await dockerClient();
  const stream = await docker.pull(IMAGE, { abortSignal: AbortSignal.timeout(LIMIT_MS) });
  await followWork(docker, stream, SILENCE_MS);
}

/** Makes the same image with debootstrap, for a machine that reaches Debian packages but no image registry. */
async function makeFromPackages(refusal) {
  const fix = `give this machine access to an image registry (${refusal.message}), or run this as root with access to Debian packages`;
  if (process.getuid() !== 0) throw new SetupError(`${IMAGE} could not be pulled, and only root can make it`, fix);
  if (!findProgram('debootstrap')) await aptInstall(['debootstrap']);
  mkdirSync(DATA_DIR, { recursive: true });
  const folder = mkdtempSync(`${DATA_DIR}/debootstrap-`);
  try {
    await runCommand(findProgram('debootstrap'), ['--variant=minbase', 'bookworm', folder], {
      timeoutMs: 600_000,
      fix,
      // All scripts wait for it.
      isFirst: true,
    });
    for (const path of LEFT_OUT) rmSync(`${folder}/${path}`, { recursive: true, force: true });
    for (const path of ['var/lib/apt/lists/partial', 'var/cache/apt/archives/partial'])
      mkdirSync(`${folder}/${path}`, { recursive: true });
    await importFolder(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function importFolder(folder) {
  const docker = await dockerClient();
  const [repo, tag] = IMAGE.split(':');
  const tar = spawn('tar', ['--numeric-owner', '-C', folder, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(tar, 'close');
  const stream = await docker.importImage(tar.stdout, { repo, tag });
  await followWork(docker, stream, LIMIT_MS);
  const [code] = await ended;
  if (code !== 0)
    throw new SetupError(
      `tar ended with exit code ${code} while it packed ${folder}`,
      'check the free space of the disk',
    );
}
