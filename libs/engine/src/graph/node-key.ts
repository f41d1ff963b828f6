/**
 * How a node is called in a run: its id after the keys of the groups around it (`outer/inner`). Signs that part keys from one another
 * are escaped in ids.
 */
export function nodeKey(prefix: string, id: string): string {
  return prefix + id.replaceAll(/[%/#:]/g, encodeURIComponent);
}
