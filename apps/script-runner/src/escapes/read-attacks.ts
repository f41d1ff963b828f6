import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Json, Limits, ScriptBundle } from '@errand/contracts';

/**
 * One attack on the sandbox, in its own file. The head of the file names the attack, the defence and the expected outcome.
 * The outcome is the printed JSON value (`[]`: nothing was achieved), or an error type with the limit that it names.
 * `Runs: 4` means four runs with `reuse: "per-tool"`: the first run attacks, and the later ones must print `[]`.
 */
export interface Attack {
  file: string;
  attack: string;
  defence: string;
  limits: Limits;
  /** The number of runs that share the container. */
  runs: number;
  expected: { result: Json } | { type: string; limit?: string };
  bundle: ScriptBundle;
}

const LANGUAGES = { '.py': 'python', '.js': 'bun' } as const;
/** A module beside every attack. It tries actions and reports those that succeed. */
const BESIDE = 'attempts';

/**
 * Reads every attack of a folder.
 * @throws Error that names a file without attack, defence or expected outcome
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
    throw new Error(`${file} must name its attack, its defence and the expected outcome`);
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
  const [type = '', limit] = text.split(' ');
  return { type, ...(limit !== undefined && { limit }) };
}
