/** The bytes of the runner on stdin. When stdin ends, the runner is gone: this process and the container's init exit, and the kernel ends all others. */
export class Lifeline {
  private held = Buffer.alloc(0);
  private coming: Promise<Buffer> | undefined;
  constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array>) {}

  /** Whether bytes come within this time. */
  async stirs(ms: number): Promise<boolean> {
    this.coming ??= this.read();
    return Promise.race([this.coming.then(() => true), Bun.sleep(ms).then(() => false)]);
  }

  /** Whether unexpected bytes have come. Waits one turn of the event loop, in which they would be read. */
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

  /** Passes bytes on during a run, while `hear` returns true, and exits when stdin ends. It never resolves. */
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
