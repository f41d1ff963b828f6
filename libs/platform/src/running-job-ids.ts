/** The ids of the jobs that this process runs at the moment. */
export class RunningJobIds {
  private readonly ids = new Set<string>();

  /** Runs `work`, and tracks the id until the promise settles. */
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
