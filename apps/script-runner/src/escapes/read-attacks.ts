import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Json, Limits, ScriptBundle } from '@errand/contracts';

/**
 * One attack on the sandbox, a file of its own. Its head says what it attacks, what defends, and what is expected: a JSON value
 * that it prints (`[]`: nothing was achieved), or an error type with the limit that it names. `Runs: 4` means that the script runs so
 * often with `reuse: "per-tool"`: the first run attacks, the later ones are the victims and must print `[]`.
 */
export interface Attack {
  file: string;
  attack: string;
  defence: string;
  limits: Limits;
  /** How many runs share the container. */
  runs: number;
  expected: { result: Json } | { type: string; limit?: string };
  bundle: ScriptBundle;
}

const LANGUAGES = { '.py': 'python', '.js': 'bun' } as const;
/** What lies beside every attack of its language: it tries and reports. */
const BESIDE = 'attempts';

/**
 * Every attack of a folder.
 * @throws Error naming the file that does not say what it attacks and what is expected
 */
export function readAttacks(folder: string): Attack[] {
  return readdirSync(folder)
    .filter((file) => !file.startsWith(`${BESIDE}.`))
    .map((file) => readAttack(folder, file));
}

function readAttack(folder: string, file: string): Attack {
  const text = readFileSync(join(folder, file), 'utf8');
  const field = (name: string) => new RegExp(`^${name}: (.+(?:\\n(?!\\w+: |"""|\\*/).+)*)`, 'm').exec(text)?.[1];
  const extension = extname(file);
  const [attack, defence, expect] = [field('Attack'), field('Defence'), field('Expect')];
  if (!attack || !defence || !expect)
    throw new Error(`${file} does not say what it attacks, what defends and what is expected`);
  if (extension !== '.py' && extension !== '.js') throw new Error(`${file} is neither Python nor JavaScript`);
  const files = [file, `${BESIDE}${extension}`].map((path) => ({
    path,
    base64: readFileSync(join(folder, path)).toString('base64'),
  }));
  return {
    file,
    attack: attack.replaceAll('\n', ' '),
    defence: defence.replaceAll('\n', ' '),
    limits: JSON.parse(field('Limits') ?? '{}'),
    runs: Number(field('Runs') ?? 1),
    expected: readExpectation(expect),
    bundle: { language: LANGUAGES[extension], entry: file, files },
  };
}

function readExpectation(text: string): Attack['expected'] {
  if (text.startsWith('[')) return { result: JSON.parse(text) };
  const [type, limit] = text.split(' ');
  return { type: type!, ...(limit !== undefined && { limit }) };
}
