import { createRequire } from 'node:module';
import { SANDBOX } from './ensure.mjs';
import { build } from './needs/compiled-code.mjs';
import { imageOf } from './needs/runner-images.mjs';
import { bad, heading } from './report.mjs';
import { ROOT } from './settings.mjs';
import { SetupError } from './setup-error.mjs';

/** The largest limits that an attack may request. They are below the maxima of an operator. */
const MAXIMA = { timeoutMs: 60_000, memoryMb: 512, cpus: 2, pids: 128, outputKb: 8192, tmpMb: 64, cpuMs: 60_000 };

/** `./errand doctor --sandbox`: runs every attack of test/escapes in the sandbox of this host. Exit code 1 if one escapes. */
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
  heading(`Attacks on the sandbox, runtime ${runtime ?? 'chosen by the engine'}`);
  const escaped = await runAll(
    sandbox,
    readAttacks(`${ROOT}/test/escapes/attacks`),
    built('./escapes/index.js').runAttack,
  );
  await sandbox.close();
  print(escaped === 0 ? '\nNo attack escaped.' : `\n${escaped} escaped: do not run untrusted scripts on this host.`);
  return escaped === 0 ? 0 : 1;
}

/** Prints to stdout, because the table is the result. */
const print = (line) => process.stdout.write(`${line}\n`);

async function runAll(sandbox, attacks, runAttack) {
  const width = Math.max(...attacks.map(({ file }) => file.length));
  let escaped = 0;
  for (const attack of attacks) {
    const { held, came } = await runAttack(sandbox, attack);
    if (!held) escaped++;
    print(`${held ? '✓ held' : '✗ OPEN'}  ${attack.file.padEnd(width)}  ${attack.attack}`);
    if (!held) print(`        ${' '.repeat(width)}  Expected: ${attack.defence} Result: ${came}`);
  }
  return escaped;
}
