import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopDaemon } from './docker-daemon.mjs';
import { engineVersion } from './docker-engine.mjs';
import { CODE, ensure, ensureSandbox } from './ensure.mjs';
import { redis } from './needs/redis.mjs';
import { schemaSuite } from './needs/schema-suite.mjs';
import { bad, heading, say } from './report.mjs';
import { ROOT } from './settings.mjs';

const CHECKS = ['typecheck', 'lint', 'format:check'];

/**
 * `./errand test [jest arguments]`: every check and every suite. Suites start a Redis each; the Docker engine is there for them.
 * The last line says how it went: `N passed, N failed`. A check that fails counts as one test, and so does a suite that can't run.
 */
export async function test(args) {
  try {
    return await runAll(args);
  } catch (error) {
    // What can't even be set up is a failure like any other, and counts as one.
    bad(error.title ?? 'test', error);
    return tell(0, 1);
  }
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
    return tell(checks.passed + suites.passed, checks.failed + suites.failed);
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
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  // Jest can fail where no test did: no suite was found, a worker died.
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

/** Runs a program with its words on stderr, so that the one line on stdout is the outcome. */
async function run(command, args, env) {
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2], env: { ...process.env, ...env } });
  const [code] = await once(child, 'close');
  return code;
}

function tell(passed, failed) {
  say();
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}
