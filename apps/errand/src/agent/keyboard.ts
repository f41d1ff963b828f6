import { createInterface, type Interface } from 'node:readline';

/** Lines from standard input, one for each question. Standard input is opened at the first question. */
export class Keyboard {
  private readline: Interface | undefined;
  private lines: AsyncIterator<string> | undefined;

  /** Whether a person types the lines. */
  get isTerminal(): boolean {
    return process.stdin.isTTY;
  }

  /** Shows the question on stderr if a person types, and returns the next line; undefined at the end of the input. */
  async ask(question: string): Promise<string | undefined> {
    const { readline, lines } = this.open();
    if (this.isTerminal) {
      readline.setPrompt(question);
      readline.prompt();
    }
    const { done, value } = await lines.next();
    return done === true ? undefined : value;
  }

  /** Lets the process end while standard input stays open. */
  close(): void {
    if (!this.readline) return;
    this.readline.close();
    process.stdin.destroy();
  }

  private open(): { readline: Interface; lines: AsyncIterator<string> } {
    if (!this.readline || !this.lines) {
      this.readline = createInterface({ input: process.stdin, output: process.stderr, terminal: this.isTerminal });
      // In a terminal, readline takes Ctrl-C away from the process.
      this.readline.on('SIGINT', () => process.emit('SIGINT'));
      this.lines = this.readline[Symbol.asyncIterator]();
    }
    return { readline: this.readline, lines: this.lines };
  }
}
