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

/** The image of one language's sandbox: its files are all in `runtimes/<name>`, and their digest is its label. */
function runnerImage(name, long) {
  const folder = `runtimes/${name}`;
  const tag = `errand-runner-${name}`;
  return {
    title: `${name} image`,
    mend: `run \`docker build -f ${folder}/Dockerfile -t ${tag} .\``,
    async check() {
      const image = await (
        await dockerClient()
      )
        .getImage(tag)
        .inspect()
        .catch(() => undefined);
      return image?.Config.Labels?.[LABEL] === digestOfImage(folder) ? tag : undefined;
    },
    async make(tell) {
      tell(`building ${tag} from ${folder}, ${long}`);
      shareAuthorities();
      await buildImage(tag, folder);
      return `${tag}, built`;
    },
  };
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
