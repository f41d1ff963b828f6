import { parseArgs, type ParseArgsConfig } from 'node:util';
import { KnownError } from './known-error.js';

/** A command line that can't be understood: exit code 2. */
export class UsageError extends KnownError {}

type Options = NonNullable<ParseArgsConfig['options']>;
type Words<T extends Options> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>>;

/**
 * Options and words of a command line.
 * @throws UsageError that names the option which is not known, or what it lacks
 */
export function readWords<T extends Options>(args: string[], options: T): Words<T> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [told] = error.message.split('. To specify', 1);
    throw new UsageError(`${told}. Options here: ${Object.keys(options).map(spell).join(' ')}`);
  }
}

const spell = (name: string) => `--${name}`;
