/** A failure of set-up that a person can fix: `message` is the problem, `fix` the way to solve it. */
export class SetupError extends Error {
  constructor(message, fix, options) {
    super(message, options);
    this.name = 'SetupError';
    this.fix = fix;
  }
}
