/** A command line that Errand does not understand. The exit code is 2; `title` is the command, `fix` the correct usage. */
export class UsageError extends Error {
  exitCode = 2;

  constructor(title, message, fix) {
    super(message);
    this.name = 'UsageError';
    this.title = title;
    this.fix = fix;
  }
}
