import { computed, signal } from '@preact/signals';

/** The chosen rows of a list, and the row that the keys act on. Everything is by id, because rows come and go. */
export class RowSelection {
  readonly ids = signal<ReadonlySet<string>>(new Set());
  /** All invocations that match the filters are chosen, also those that were not read. */
  readonly isWhole = signal(false);
  readonly active = signal<string | undefined>(undefined);
  readonly count = computed(() => this.ids.value.size);
  private anchor: string | undefined;

  /** Chooses a row, or chooses it no longer. With `isRange`, all rows from the last chosen one. */
  toggle(id: string, order: readonly string[], isRange = false): void {
    this.isWhole.value = false;
    if (isRange && this.anchor !== undefined) return this.extend(id, order);
    const ids = new Set(this.ids.value);
    if (!ids.delete(id)) ids.add(id);
    this.anchor = id;
    this.ids.value = ids;
  }

  /** Chooses all rows between the last chosen one and this one. */
  extend(id: string, order: readonly string[]): void {
    this.anchor ??= this.active.value ?? id;
    const [a, b] = [order.indexOf(this.anchor), order.indexOf(id)];
    if (a === -1 || b === -1) return this.toggle(id, order);
    this.isWhole.value = false;
    this.ids.value = new Set([...this.ids.value, ...order.slice(Math.min(a, b), Math.max(a, b) + 1)]);
  }

  chooseAll(order: readonly string[]): void {
    this.isWhole.value = false;
    this.ids.value = new Set(order);
  }

  clear(): void {
    this.ids.value = new Set();
    this.isWhole.value = false;
    this.anchor = undefined;
  }
}
