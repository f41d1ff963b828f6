import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { aptInstall } from '../apt.mjs';
import { dockerClient, followWork, inspectImage } from '../docker-engine.mjs';
import { findProgram, runCommand } from '../run-command.mjs';
import { DATA_DIR } from '../settings.mjs';
import { SetupError } from '../setup-error.mjs';

const RELEASE = 'bookworm';
const IMAGE = `debian:${RELEASE}-slim`;
/** A pull without progress for this time is given up. */
const SILENCE_MS = 30_000;
const LIMIT_MS = 600_000;
/** The folders of /usr/share that a slim image does not need. */
const LEFT_OUT = 'doc man locale info';
const OPTIONS = [
  '--variant=minbase',
  // Without it, apt reads the translated descriptions of all packages in each build.
  '--aptopt=Acquire::Languages "none"',
  // Without it, the image gets the whole of Perl, which would merge the folders of programs.
  '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
  // Later packages leave the folders out, too. As an option of mmdebstrap, this would filter each archive with Python.
  `--setup-hook=mkdir -p "$1/etc/dpkg/dpkg.cfg.d" && printf "path-exclude /usr/share/%s/*\\n" ${LEFT_OUT} > "$1/etc/dpkg/dpkg.cfg.d/slim"`,
  `--customize-hook=for name in ${LEFT_OUT}; do rm -rf "$1/usr/share/$name"; done`,
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
    return `${IMAGE}, made with mmdebstrap`;
  },
};

async function pull() {
  const docker = await dockerClient();
  const stream = await docker.pull(IMAGE, { abortSignal: AbortSignal.timeout(LIMIT_MS) });
  await followWork(docker, stream, SILENCE_MS);
}

/** Makes the same image with mmdebstrap, for a machine that reaches Debian packages but no image registry. */
async function makeFromPackages(refusal) {
  const fix = `give this machine access to an image registry (${refusal.message}), or run this as root with access to Debian packages`;
  if (process.getuid() !== 0) throw new SetupError(`${IMAGE} could not be pulled, and only root can make it`, fix);
  if (!findProgram('mmdebstrap')) await aptInstall(['mmdebstrap']);
  mkdirSync(DATA_DIR, { recursive: true });
  const folder = mkdtempSync(`${DATA_DIR}/base-image-`);
  const archive = `${folder}/image.tar`;
  try {
    await runCommand(findProgram('mmdebstrap'), [...OPTIONS, RELEASE, archive, ...(await sourcesOfHost())], {
      timeoutMs: 600_000,
      fix,
      // It runs programs of the image here. The usual folder can forbid that, or be in memory.
      env: { ...process.env, TMPDIR: folder },
      // All scripts wait for it.
      isFirst: true,
    });
    await importArchive(archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where apt of this machine gets packages of the same release, because it may reach no other servers. mmdebstrap knows the usual ones. */
async function sourcesOfHost() {
  const format = 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)';
  const args = ['indextargets', '--format', format, 'Created-By: Packages', 'Origin: Debian'];
  const lines = (await runCommand('apt-get', args, { timeoutMs: 60_000 })).split('\n');
  return [...new Set(lines)].filter((line) => line.split(' ')[2]?.startsWith(RELEASE));
}

async function importArchive(archive) {
  const docker = await dockerClient();
  const [repo, tag] = IMAGE.split(':');
  await followWork(docker, await docker.importImage(archive, { repo, tag }), LIMIT_MS);
}
