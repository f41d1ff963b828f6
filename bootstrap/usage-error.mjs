/** A command line that Errand does not understand: exit code 2. `title` names the command, `fix` says how to write it. */
export class UsageError extends Error {
  exitCode = 2;

  constructor(title, message, fix) {
    super(message);
    this.name = 'UsageError';
    this.title = title;
    this.fix = fix;
  }
}
