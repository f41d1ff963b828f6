import { KnownError } from '@errand/contracts';

/** An invalid value on the command line. The exit code is 2. */
export class UsageError extends KnownError {
  readonly exitCode = 2;
}
