/** What one process has in hand at this moment, by id. */
export class RunningJobIds {
  private readonly ids = new Set<string>();

  /** Runs `work`; the id is in hand until it has settled. */
  async track<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.ids.add(id);
    try {
      return await work();
    } finally {
      this.ids.delete(id);
    }
  }

  all(): string[] {
    return [...this.ids];
  }
}
