/** A failure of set-up that a person can mend: what went wrong, and how to go on. */
export class SetupError extends Error {
  constructor(message, fix, options) {
    super(message, options);
    this.name = 'SetupError';
    this.fix = fix;
  }
}
