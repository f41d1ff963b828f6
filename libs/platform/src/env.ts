import { didYouMean } from '@errand/contracts';

/** A setting. `parse` reads its text, and throws an Error that says what is wrong. */
export interface Setting<T> {
  readonly description: string;
  /** The default, as text of the environment. A setting without it can be undefined. */
  readonly fallback?: string;
  readonly parse: (text: string) => T;
  /** Whether messages must not contain its value, not even a wrong one. */
  readonly secret?: boolean;
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table. A setting without `fallback` can be undefined. */
export type Settings<T extends SettingTable> = {
  readonly [K in keyof T]: T[K] extends { readonly fallback: string }
    ? ReturnType<T[K]['parse']>
    : ReturnType<T[K]['parse']> | undefined;
};

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** All problems of the environment at once. */
export class EnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'EnvironmentError';
  }
}

/**
 * Reads the settings of one process. `known` has the names of all processes: one environment may serve all of them, so
 * only other names are errors. An empty value counts as unset, as in compose files.
 * @throws EnvironmentError with all unknown names and wrong values
 */
export function readSettings<T extends SettingTable>(
  table: T,
  env: EnvironmentVariables,
  known: Iterable<string>,
): Settings<T> {
  const problems = unknownNames(env, new Set(known));
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    const text = env[name] === undefined || env[name] === '' ? setting.fallback : env[name];
    try {
      values[name] = text === undefined ? undefined : setting.parse(text);
    } catch (error) {
      const shown = setting.secret ? '…' : JSON.stringify(text);
      problems.push(`${name}=${shown}: ${(error as Error).message}. It is: ${setting.description}`);
    }
  }
  if (problems.length > 0) throw new EnvironmentError(problems);
  return values as Settings<T>;
}

function unknownNames(env: EnvironmentVariables, known: ReadonlySet<string>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('ERRAND_') && !known.has(name))
    .map((name) => {
      const near = didYouMean(name, known);
      return `${name} is not an Errand setting${near ? `, did you mean ${near}?` : '; .env.example lists all settings'}`;
    });
}
