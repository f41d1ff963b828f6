/**
 * One read for all who ask the same at the same moment. A thousand listeners of one invocation wake at one ring and ask the same
 * question; it is put once.
 *
 * Shared is only what is asked within one turn of the event loop. Whoever was woken by news has heard it before he asks, and the
 * question leaves for Redis in that turn or later: its answer holds the news. An answer to an earlier turn's question might not.
 */
export class SharedReads {
  private readonly asked = new Map<string, Promise<unknown>>();

  /** @param key equal for equal questions; it implies the type of the answer */
  read<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.asked.get(key);
    if (known) return known as Promise<T>;
    const answer = ask();
    this.asked.set(key, answer);
    // Runs when all that the present turn has woken has been served.
    process.nextTick(() => this.asked.delete(key));
    return answer;
  }
}
