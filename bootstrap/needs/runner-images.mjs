import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { digestOf } from '../digest.mjs';
import { dockerClient, followWork } from '../docker-engine.mjs';
import { lastLines } from '../run-command.mjs';
import { ROOT } from '../settings.mjs';
import { SetupError } from '../setup-error.mjs';

const LABEL = 'errand.sources';
const CA_FOLDER = 'deploy/ca';
/** A step of a build that tells nothing for so long is given up. */
const SILENCE_MS = 300_000;

/** The setting by which an operator names an image to use in place of ours; empty is unset. */
const SETTINGS = { python: 'ERRAND_IMAGE_PYTHON', bun: 'ERRAND_IMAGE_BUN' };

const tagOfOurs = (name) => `errand-runner-${name}`;

/** The image that scripts of a language run in. */
export const imageOf = (name) => process.env[SETTINGS[name]] || tagOfOurs(name);

/** The image of one language's sandbox. */
function runnerImage(name, long) {
  return imageOf(name) === tagOfOurs(name) ? ourImage(name, long) : operatorsImage(name);
}

/** What an operator named is looked for and never built. */
function operatorsImage(name) {
  const tag = imageOf(name);
  return {
    title: `${name} image`,
    async check() {
      if (await inspect(tag)) return `${tag}, as ${SETTINGS[name]} says`;
      throw new SetupError(
        `${SETTINGS[name]} names ${tag}, which the engine does not have`,
        `run \`docker pull ${tag}\`, build it, or unset ${SETTINGS[name]}`,
      );
    },
  };
}

/** Its files are all in `runtimes/<name>`, and their digest is its label. */
function ourImage(name, long) {
  const folder = `runtimes/${name}`;
  const tag = tagOfOurs(name);
  return {
    title: `${name} image`,
    isOurs: true,
    fix: `run \`docker build -f ${folder}/Dockerfile -t ${tag} .\``,
    async check() {
      const image = await inspect(tag);
      return image?.Config.Labels?.[LABEL] === digestOfImage(folder) ? tag : undefined;
    },
    async make(report) {
      report(`building ${tag} from ${folder}, ${long}`);
      shareAuthorities();
      await buildImage(tag, folder);
      return `${tag}, built`;
    },
  };
}

async function inspect(tag) {
  const docker = await dockerClient();
  return docker
    .getImage(tag)
    .inspect()
    .catch(() => undefined);
}

export const runnerImages = [runnerImage('python', 'some seconds'), runnerImage('bun', 'about a minute')];

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
    throw new SetupError(
      shown,
      'see that containers can run here and reach the package sources that this machine uses',
    );
  }
}

const digestOfImage = (folder) => digestOf(ROOT, [folder], (path) => !path.endsWith('.md'));
const filesOf = (folder) => readdirSync(`${ROOT}/${folder}`).map((name) => `${folder}/${name}`);

/** A host that trusts authorities of its own lends them to the build: npm, inside, meets the same servers. */
function shareAuthorities() {
  const bundle = process.env.NODE_EXTRA_CA_CERTS;
  if (bundle && existsSync(bundle)) copyFileSync(bundle, `${ROOT}/${CA_FOLDER}/host.crt`);
}
