/** A binary heap of entries `[key, value]` with the smallest key first. Entries with equal keys leave in any order. */
export class Heap {
  #entries = [];

  get size() {
    return this.#entries.length;
  }

  peek() {
    return this.#entries[0];
  }

  push(key, value) {
    const entries = this.#entries;
    let at = entries.length;
    entries.push([key, value]);
    for (let above = (at - 1) >> 1; at > 0 && entries[above][0] > key; above = (at - 1) >> 1) {
      entries[at] = entries[above];
      at = above;
    }
    entries[at] = [key, value];
  }

  pop() {
    const entries = this.#entries;
    const [first] = entries;
    const last = entries.pop();
    if (entries.length === 0) return first;
    let at = 0;
    for (let below = 1; below < entries.length; below = 2 * at + 1) {
      if (entries[below + 1]?.[0] < entries[below][0]) below++;
      if (entries[below][0] >= last[0]) break;
      entries[at] = entries[below];
      at = below;
    }
    entries[at] = last;
    return first;
  }
}
