import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stopDaemon } from './docker-daemon.mjs';
import { engineVersion } from './docker-engine.mjs';
import { CODE, ensure, ensureSandbox } from './ensure.mjs';
import { redis } from './needs/redis.mjs';
import { schemaSuite } from './needs/schema-suite.mjs';
import { bad, heading, say } from './report.mjs';
import { ROOT } from './settings.mjs';

const CHECKS = ['typecheck', 'lint', 'format:check'];
const SLOWEST = 10;

/**
 * `./errand test [paths] [-- jest options]`: every check and every suite. Each suite starts its own Redis; they share the Docker engine.
 * The last line is `N passed, N failed`. A failed check counts as one failed test, and so does a suite that cannot run.
 */
export async function test({ words }) {
  const { passed, failed } = await runAll(words).catch((error) => {
    // A failed set-up counts as one failed test.
    bad(error.title ?? 'test', error);
    return { passed: 0, failed: 1 };
  });
  say();
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

async function runAll(args) {
  await ensure([...CODE, redis, schemaSuite]);
  const engineWasThere = Boolean(await engineVersion());
  const sandbox = await ensureSandbox();
  const folder = mkdtempSync(join(tmpdir(), 'errand-test-'));
  try {
    const checks = args.length === 0 ? await runChecks() : { passed: 0, failed: 0 };
    const suites = await runSuites(args, join(folder, 'jest.json'), {
      ...(!sandbox && { ERRAND_TEST_NO_DOCKER: 'true' }),
    });
    return { passed: checks.passed + suites.passed, failed: checks.failed + suites.failed };
  } finally {
    if (!engineWasThere) await stopDaemon();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runChecks() {
  let failed = 0;
  for (const name of CHECKS) {
    heading(`npm run ${name}`);
    if ((await run('npm', ['run', '--silent', name])) !== 0) failed++;
  }
  return { passed: CHECKS.length - failed, failed };
}

async function runSuites(args, report, env) {
  heading('jest');
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const code = await run('node', [jest, '--maxWorkers=2', '--json', `--outputFile=${report}`, ...args], env);
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  heading(`The ${SLOWEST} slowest suites`);
  for (const line of slowestSuites(testResults)) say(line);
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  // Jest can fail although no test failed: it found no suite, or a worker died.
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

/** A line for each of the slowest suites of jest's report, the slowest first. */
export function slowestSuites(testResults) {
  return testResults
    .map(({ name, startTime, endTime }) => ({ path: relative(ROOT, name), seconds: (endTime - startTime) / 1_000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
}

/** Runs a program with its output on stderr, because stdout gets only the last line. */
async function run(command, args, env) {
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2], env: { ...process.env, ...env } });
  const [code] = await once(child, 'close');
  return code;
}
