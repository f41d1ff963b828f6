import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { CLUSTER_ENV, clusterSuites, LEFT_OUT } from './cluster-suites.mjs';
import { stopDaemon } from './docker-daemon.mjs';
import { engineVersion } from './docker-engine.mjs';
import { ensure, ensureBrowser, ensureSandbox } from './ensure.mjs';
import { chromium } from './needs/chromium.mjs';
import { build } from './needs/compiled-code.mjs';
import { docker } from './needs/docker.mjs';
import { npmPackages } from './needs/npm-packages.mjs';
import { redis } from './needs/redis.mjs';
import { schemaSuite } from './needs/schema-suite.mjs';
import { bad, heading, pending, say, warn } from './report.mjs';
import { runCommand } from './run-command.mjs';
import { ROOT } from './settings.mjs';

const CHECKS = ['typecheck', 'lint', 'format:check'];
/**
 * The type checker and the linter use one thread, because each further thread checks the types of packages again. They collect garbage
 * less often. It saves two fifths of their CPU time, which the other parts of the run need.
 */
const CHECKS_ENV = { GOMAXPROCS: '1', GOGC: '800' };
/** Suites without services. They can run before there are any. */
const UNIT = ['--testRegex', String.raw`\.spec\.tsx?$`];
const WITH_SERVICES = ['--testRegex', String.raw`\.(int-spec|e2e-spec)\.tsx?$`];
/** The suites that `--conformance` runs. They need packages of their own, and the usual tests leave them out. */
const CONFORMANCE = ['--testRegex', String.raw`\.conformance\.ts$`];
const SLOWEST = 10;
const NONE = { passed: 0, failed: 0, testResults: [] };
/** More than the cores of a small machine, because suites wait for locks, pauses, containers and processes for half of their time. */
const WORKERS = 5;
/** Each worker loads all sources. One is enough beside everything else. */
const UNIT_WORKERS = 1;
const EXIT_SECONDS = 60;
/** V8 collects old objects only when they take this part of the memory: each collection visits everything that the suites of a process have loaded. */
const HEAP_PART = 12;
const V8_FLAGS = [
  // V8 optimizes a function after more calls than usual: most run a few times in a suite. It saves an eighth of the CPU time of suites without services.
  '--interrupt-budget=1000000',
  // The processes beside it use all cores, so that more threads only wait for each other.
  '--no-parallel-scavenge',
  `--initial-old-space-size=${Math.floor(totalmem() / 2 ** 20 / HEAP_PART)}`,
];

/**
 * `./errand test [--conformance | --cluster] [paths] [-- jest options]`: every check and every suite. Each suite has a Redis of its own; they share the Docker engine.
 * The last line is `N passed, N failed`. A failed check counts as one failed test, and so does a suite that cannot run.
 */
export async function test({ options, words }) {
  const chosen = options?.conformance ? CONFORMANCE : options?.cluster ? clusterSuites() : [];
  if (options?.cluster) for (const [path, reason] of Object.entries(LEFT_OUT)) say(`left out: ${path}: ${reason}`);
  // An option of jest with several values would take the paths behind it.
  const { passed, failed } = await runAll([...words, ...chosen], options?.cluster ? CLUSTER_ENV : {}).catch((error) => {
    // A failed set-up counts as one failed test.
    bad(error.title ?? 'test', error);
    return { passed: 0, failed: 1 };
  });
  say();
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

async function runAll(args, env) {
  await ensure([npmPackages, redis, schemaSuite], { later: [docker, chromium] });
  const engineWasThere = Boolean(await engineVersion());
  const folder = mkdtempSync(join(tmpdir(), 'errand-test-'));
  // The set-up of images and browser waits for disks and networks, and suites with services wait for each other. The build, the checks and
  // the suites without services use the processor meanwhile.
  const services = ensureServices();
  try {
    const isAll = args.length === 0;
    const every = { ...env, ERRAND_TEST_ALL_RUNS: 'true' };
    await ensure([build]);
    const others = isAll ? [...runChecks(), runUnitSuites(join(folder, 'unit.json'), every)] : [];
    const [sandbox] = await Promise.all([services, cacheCode()]);
    const suites = await runSuites(isAll ? WITH_SERVICES : args, join(folder, 'jest.json'), {
      ...every,
      ...(!sandbox && { ERRAND_TEST_NO_DOCKER: 'true' }),
    });
    return total([...(await shown(others)), suites]);
  } finally {
    // After a failed build, the set-up still runs and may start the Docker engine.
    await services;
    if (!engineWasThere) await stopDaemon();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The sums of several parts. Says which suites were the slowest. */
function total(parts) {
  heading(`The ${SLOWEST} slowest suites`);
  for (const line of slowestSuites(parts.flatMap(({ testResults }) => testResults))) say(line);
  const sum = (of) => parts.reduce((count, part) => count + part[of], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

/** Returns whether scripts can run. */
async function ensureServices() {
  const [sandbox] = await Promise.all([ensureSandbox(), ensureBrowser()]);
  return sandbox;
}

/** The checks run at the same time. Each is one test. */
function runChecks() {
  pending('checks', `${CHECKS.join(', ')}, beside the set-up and the suites with services`);
  return CHECKS.map(async (name) => {
    const { code, output } = await run('npm', ['run', '--silent', name], { env: CHECKS_ENV });
    return { ...NONE, title: `npm run ${name}`, output, [code === 0 ? 'passed' : 'failed']: 1 };
  });
}

/** Shows the titles and outputs of what ran beside the suites with services, whose output must not be interrupted. */
async function shown(others) {
  const outcomes = await Promise.all(others);
  for (const { title, output } of outcomes) {
    heading(title);
    process.stderr.write(output);
  }
  return outcomes;
}

/** Lets the processes that suites start take compiled code from a cache. Without it they only start slower. */
async function cacheCode() {
  const recording = runCommand('node', ['test/support/record-code-cache.mjs'], { cwd: ROOT, timeoutMs: 120_000 });
  await recording.catch((error) => warn('code cache', error));
}

async function runUnitSuites(report, env) {
  pending('unit tests', 'beside the set-up and the suites with services');
  const { code, output } = await jest([...UNIT, `--maxWorkers=${UNIT_WORKERS}`], report, { env });
  return { ...outcomeOf(report, code), title: 'jest: suites without services', output };
}

async function runSuites(args, report, env) {
  heading('jest');
  const { code } = await jest([`--maxWorkers=${WORKERS}`, ...args], report, { env, isShown: true });
  return outcomeOf(report, code);
}

function jest(args, report, options) {
  const program = join(ROOT, 'node_modules/jest/bin/jest.js');
  const watch = (child) => endAfterReport(child, report);
  return run('node', [...V8_FLAGS, program, '--json', `--outputFile=${report}`, ...args], { ...options, watch });
}

/** What jest has reported. It can fail although no test failed: it found no suite, or a worker died. */
function outcomeOf(report, code) {
  if (!existsSync(report)) return { ...NONE, failed: 1 };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed, testResults };
}

/** A line for each of the slowest suites of jest's report, the slowest first. */
export function slowestSuites(testResults) {
  return testResults
    .map(({ name, startTime, endTime }) => ({ path: relative(ROOT, name), seconds: (endTime - startTime) / 1_000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
}

/**
 * Kills a jest that does not exit after it has written its report: a test has left a process, a connection or a timer. Without this, the
 * run would never end. Returns what stops the watch.
 */
function endAfterReport(child, report) {
  let seconds = 0;
  const timer = setInterval(() => {
    if (!existsSync(report) || ++seconds < EXIT_SECONDS) return;
    bad(
      'jest',
      new Error(`did not exit within ${EXIT_SECONDS} s after its tests: one of them has left something open`),
    );
    child.kill('SIGKILL');
  }, 1_000);
  return () => clearInterval(timer);
}

/**
 * Runs a program to its end.
 * @param isShown its output goes to stderr at once, because stdout gets only the last line; otherwise it is returned
 * @param watch called with the process; returns what stops the watch
 */
async function run(command, args, { env = {}, isShown = false, watch = () => () => {} } = {}) {
  const out = isShown ? 2 : 'pipe';
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', out, out] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const stop = watch(child);
  const [code] = await once(child, 'close');
  stop();
  return { code, output };
}
