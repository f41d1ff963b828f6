/** The check of `./errand doctor` that asks the running stack about the servers of `mcp.json`. */
import { askRunningStack } from './ask-running-stack.mjs';
import { SetupError } from './setup-error.mjs';
import { runningUrl } from './stack-checks.mjs';

export const servers = {
  title: 'servers of mcp.json',
  async check() {
    const problems = await readProblems();
    if (!problems) return 'not checked: Errand is not running, or ERRAND_API_KEY is not a key of it';
    const away = problems.filter(({ server, since }) => server !== undefined && since !== undefined);
    if (away.length === 0) return 'none is away';
    const lines = away.map(({ server, since, message }) => `${server}: away since ${since}. ${message}`);
    throw new SetupError(lines.join('\n'), 'Errand asks them again; a worker logs a hint for each');
  },
};

/** The problems of the library of the running stack; undefined if it does not answer. */
async function readProblems() {
  const url = await runningUrl();
  if (url === undefined) return undefined;
  const answer = await askRunningStack(`${url}/v1/tools/problems`, keyOf(process.env));
  return Array.isArray(answer?.items) ? answer.items : undefined;
}

/** The key of the client, else the first key of the API. */
function keyOf({ ERRAND_API_KEY, ERRAND_API_KEYS = '' }) {
  const [first = ''] = ERRAND_API_KEYS.split(/\s+/).filter((entry) => entry !== '');
  const key = ERRAND_API_KEY || first.slice(first.indexOf(':') + 1);
  return key === '' ? {} : { authorization: `Bearer ${key}` };
}
