import { createRequire } from 'node:module';
import { SANDBOX } from './ensure.mjs';
import { build } from './needs/compiled-code.mjs';
import { imageOf } from './needs/runner-images.mjs';
import { bad, heading } from './report.mjs';
import { ROOT } from './settings.mjs';
import { SetupError } from './setup-error.mjs';

/** A limit for each that an attack may ask for; nothing is as large as a maximum of an operator's. */
const MAXIMA = { timeoutMs: 60_000, memoryMb: 512, cpus: 2, pids: 128, outputKb: 8192, tmpMb: 64, cpuMs: 60_000 };

/** `./errand doctor --sandbox`: lets every attack of test/escapes loose in this host's own sandbox. Exit code 1 where one got out. */
export async function doctorSandbox() {
  for (const need of [build, ...SANDBOX]) {
    if (await need.check()) continue;
    bad(need.title, new SetupError('missing or out of date', `${need.fix}; ./errand up does it too`));
    return 1;
  }
  const built = createRequire(`${ROOT}/dist/apps/script-runner/src/`);
  const { DockerSandbox } = built('./sandbox/index.js');
  const { readAttacks } = built('./escapes/index.js');
  const [python, bun] = [imageOf('python'), imageOf('bun')];
  const runtime = process.env.ERRAND_SANDBOX_RUNTIME || undefined;
  const sandbox = new DockerSandbox({
    images: { python, bun, nodejs: bun },
    runnerId: `doctor-${process.pid}`,
    maxima: MAXIMA,
    runtime,
  });
  const { ok, reason } = await sandbox.ping();
  if (!ok) {
    bad('sandbox', { message: reason });
    return 1;
  }
  heading(`Attacks on the sandbox, runtime ${runtime ?? "of the engine's choice"}`);
  const escaped = await runAll(
    sandbox,
    readAttacks(`${ROOT}/test/escapes/attacks`),
    built('./escapes/index.js').runAttack,
  );
  await sandbox.close();
  report(escaped === 0 ? '\nNone got out.' : `\n${escaped} got out: run no scripts of strangers on this host.`);
  return escaped === 0 ? 0 : 1;
}

/** The table is the answer, so it goes to stdout. */
const report = (line) => process.stdout.write(`${line}\n`);

async function runAll(sandbox, attacks, runAttack) {
  const width = Math.max(...attacks.map(({ file }) => file.length));
  let escaped = 0;
  for (const attack of attacks) {
    const { held, came } = await runAttack(sandbox, attack);
    if (!held) escaped++;
    report(`${held ? '✓ held' : '✗ OPEN'}  ${attack.file.padEnd(width)}  ${attack.attack}`);
    if (!held) report(`        ${' '.repeat(width)}  Should hold: ${attack.defence} What came: ${came}`);
  }
  return escaped;
}
