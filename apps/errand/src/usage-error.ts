import { KnownError } from '@errand/contracts';

/** A value on the command line that the command cannot use: exit code 2. */
export class UsageError extends KnownError {
  readonly exitCode = 2;
}
