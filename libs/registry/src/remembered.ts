/** What was made lately, by key, each with the state of what it was made of: made anew when that is another. Bounded in number. */
export class Remembered<T> {
  private readonly made = new Map<string, { state: string; value: Promise<T> }>();

  constructor(private readonly most: number) {}

  /** Those who ask for the same at the same time share the making; one that fails is not remembered. */
  get(key: string, state: string, make: () => Promise<T>): Promise<T> {
    const known = this.made.get(key);
    const value = known?.state === state ? known.value : make();
    this.made.delete(key);
    this.made.set(key, { state, value });
    if (this.made.size > this.most) this.made.delete(this.made.keys().next().value!);
    value.catch(() => this.made.get(key)?.value === value && this.made.delete(key));
    return value;
  }
}
