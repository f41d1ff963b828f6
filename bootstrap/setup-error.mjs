/** A failure of set-up that a person can mend: what went wrong, and how to go on. */
export class SetupError extends Error {
  constructor(message, mend, options) {
    super(message, options);
    this.name = 'SetupError';
    this.mend = mend;
  }
}
