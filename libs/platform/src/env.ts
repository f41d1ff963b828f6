import { didYouMean } from '@errand/contracts';

/** One setting: what it means, what holds when it is unset, and how its text is read. `parse` throws an Error that says what is wrong. */
export interface Setting<T> {
  readonly description: string;
  /** As one would write it in the environment; undefined: the setting may be absent, and then is undefined. */
  readonly fallback?: string;
  readonly parse: (text: string) => T;
  /** Its value is never shown, not even a bad one. */
  readonly secret?: boolean;
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

/** What a table reads as: a setting without `fallback` may be undefined. */
export type Settings<T extends SettingTable> = {
  readonly [K in keyof T]: T[K] extends { readonly fallback: string }
    ? ReturnType<T[K]['parse']>
    : ReturnType<T[K]['parse']> | undefined;
};

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Every fault of the environment at once. */
export class EnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'EnvironmentError';
  }
}

/**
 * Reads the settings of one process. `known` holds every name that some process of Errand reads: one environment may serve
 * them all, so only a name that none of them knows is an error. An empty value counts as unset, as in compose files.
 * @throws EnvironmentError naming all unknown names and bad values together
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
      return `${name} is no setting of Errand${near ? `, did you mean ${near}?` : '; .env.example lists them all'}`;
    });
}
