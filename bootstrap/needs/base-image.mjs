import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { aptInstall } from '../apt.mjs';
import { dockerClient, followWork } from '../docker-engine.mjs';
import { findProgram, runCommand } from '../run-command.mjs';
import { DATA_DIR } from '../settings.mjs';
import { SetupError } from '../setup-error.mjs';

const IMAGE = 'debian:bookworm-slim';
/** A pull that tells nothing for so long is given up. */
const SILENCE_MS = 30_000;
const LIMIT_MS = 600_000;
/** What a slim image goes without. */
const LEFT_OUT = [
  'var/lib/apt/lists',
  'var/cache/apt',
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
];

/** The image that all of ours are built from. */
export const baseImage = {
  title: 'base image',
  fix: `run \`docker pull ${IMAGE}\``,
  async check() {
    const image = await (
      await dockerClient()
    )
      .getImage(IMAGE)
      .inspect()
      .catch(() => undefined);
    return image && IMAGE;
  },
  async make(report) {
    report(`pulling ${IMAGE}`);
    const refusal = await pull().catch((error) => error);
    if (!refusal) return `${IMAGE}, pulled`;
    report('no registry of images answers: making it from Debian packages, about a minute');
    await makeFromPackages(refusal);
    return `${IMAGE}, made with debootstrap`;
  },
};

async function pull() {
  const docker = await dockerClient();
  const stream = await docker.pull(IMAGE, { abortSignal: AbortSignal.timeout(LIMIT_MS) });
  await followWork(docker, stream, SILENCE_MS);
}

/** The same image from apt's own sources, for a place that reaches Debian packages and no registry of images. */
async function makeFromPackages(refusal) {
  const fix = `reach a registry of images (${refusal.message}), or run this as root where Debian packages can be had`;
  if (process.getuid() !== 0) throw new SetupError(`${IMAGE} could not be pulled, and only root can make it`, fix);
  if (!findProgram('debootstrap')) await aptInstall(['debootstrap']);
  mkdirSync(DATA_DIR, { recursive: true });
  const folder = mkdtempSync(`${DATA_DIR}/debootstrap-`);
  try {
    await runCommand(findProgram('debootstrap'), ['--variant=minbase', 'bookworm', folder], {
      timeoutMs: 600_000,
      fix,
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
    throw new SetupError(`tar ended with exit code ${code} while it packed ${folder}`, 'see that the disk has room');
}
