import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { digestOf } from '../digest.mjs';
import { dockerClient, followWork, inspectImage } from '../docker-engine.mjs';
import { fetchBun } from './bun-package.mjs';
import { lastLines } from '../run-command.mjs';
import { ROOT } from '../settings.mjs';
import { SetupError } from '../setup-error.mjs';

const LABEL = 'errand.sources';
const CA_FOLDER = 'deploy/ca';
/** A build step without progress for this time is given up. */
const SILENCE_MS = 300_000;

/** The settings in which an operator names an image to use instead. An empty setting counts as unset. */
const SETTINGS = { python: 'ERRAND_IMAGE_PYTHON', bun: 'ERRAND_IMAGE_BUN' };

const tagOfOurs = (name) => `errand-runner-${name}`;

/** The image that scripts of a language run in. */
export const imageOf = (name) => process.env[SETTINGS[name]] || tagOfOurs(name);

/**
 * The image of one language's sandbox.
 * @param prepare puts more files for the build into the folder of the image; returns what removes them again
 */
function runnerImage(name, prepare = async () => () => {}) {
  return imageOf(name) === tagOfOurs(name) ? ourImage(name, prepare) : operatorsImage(name);
}

/** An image that an operator names is only checked, never built. */
function operatorsImage(name) {
  const tag = imageOf(name);
  return {
    title: `${name} image`,
    async check() {
      if (await inspectImage(tag)) return `${tag}, from ${SETTINGS[name]}`;
      throw new SetupError(
        `${SETTINGS[name]} names ${tag}, which the engine does not have`,
        `run \`docker pull ${tag}\`, build it, or unset ${SETTINGS[name]}`,
      );
    },
  };
}

/** An image of Errand. Its files are in `runtimes/<name>`, and its label has their digest. */
function ourImage(name, prepare) {
  const folder = `runtimes/${name}`;
  const tag = tagOfOurs(name);
  return {
    title: `${name} image`,
    isOurs: true,
    fix: `run \`docker build -f ${folder}/Dockerfile -t ${tag} .\``,
    async check() {
      const image = await inspectImage(tag);
      return image?.Config.Labels?.[LABEL] === digestOfImage(folder) ? tag : undefined;
    },
    async make(report) {
      report(`building ${tag} from ${folder}, some seconds`);
      shareAuthorities();
      const cleanUp = await prepare();
      await buildImage(tag, folder).finally(cleanUp);
      return `${tag}, built`;
    },
  };
}

export const runnerImages = [runnerImage('python'), runnerImage('bun', fetchBun)];

async function buildImage(tag, folder) {
  const docker = await dockerClient();
  const src = [...filesOf(folder), ...filesOf(CA_FOLDER)];
  const stream = await docker.buildImage(
    { context: ROOT, src },
    { t: tag, dockerfile: `${folder}/Dockerfile`, labels: { [LABEL]: digestOfImage(folder) }, forcerm: true },
  );
  let log = '';
  try {
    await followWork(docker, stream, SILENCE_MS, ({ stream: line = '' }) => (log += line));
  } catch (error) {
    const shown = [`${tag} could not be built: ${error.message}`, ...lastLines(log)].join('\n');
    throw new SetupError(shown, 'check that containers can run here and reach the package sources of this machine');
  }
}

const digestOfImage = (folder) => digestOf(ROOT, [folder], (path) => !/\.(?:md|tgz)$/.test(path));
const filesOf = (folder) => readdirSync(`${ROOT}/${folder}`).map((name) => `${folder}/${name}`);

/** Copies additional certificate authorities of the host into the build, because npm in the build connects to the same servers. */
function shareAuthorities() {
  const bundle = process.env.NODE_EXTRA_CA_CERTS;
  if (bundle && existsSync(bundle)) copyFileSync(bundle, `${ROOT}/${CA_FOLDER}/host.crt`);
}
