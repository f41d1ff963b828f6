/** What the runner sends. When it ends, whoever asked is gone: the container's init ends with us, and the kernel ends everything else. */
export class Lifeline {
  private held = Buffer.alloc(0);
  private coming: Promise<Buffer> | undefined;
  constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array>) {}

  /** Whether something comes within so many milliseconds. */
  async stirs(ms: number): Promise<boolean> {
    this.coming ??= this.read();
    return Promise.race([this.coming.then(() => true), Bun.sleep(ms).then(() => false)]);
  }

  /** Whether something has come that nobody has asked for. Waits for one turn of the event loop, in which it would be read. */
  async hasMore(): Promise<boolean> {
    this.coming ??= this.read();
    const turn = new Promise<boolean>((resolve) => setImmediate(resolve, false));
    return this.held.length > 0 || Promise.race([this.coming.then(() => true), turn]);
  }

  async bytes(count: number): Promise<Buffer> {
    const chunks: Buffer[] = [this.held];
    for (let have = this.held.length; have < count; have += chunks.at(-1)!.length) chunks.push(await this.next());
    const all = Buffer.concat(chunks);
    this.held = all.subarray(count);
    return all.subarray(0, count);
  }

  /** Hands on what comes while a run goes on, as long as it is wanted, and watches for its end; never resolves where it holds. */
  async untilCut(hear?: (bytes: Buffer) => boolean): Promise<never> {
    if (hear) {
      while (hear(await this.next()));
      return new Promise<never>(() => {});
    }
    this.coming = this.read();
    await this.coming;
    return new Promise<never>(() => {});
  }

  private async next(): Promise<Buffer> {
    const coming = this.coming ?? this.read();
    this.coming = undefined;
    return coming;
  }

  private async read(): Promise<Buffer> {
    const { value, done } = await this.reader.read();
    if (done) process.exit(1);
    return Buffer.from(value);
  }
}
