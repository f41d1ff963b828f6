/**
 * The key of a node in a run: its id after the keys of the groups around it (`outer/inner`). Separator characters
 * inside an id are escaped.
 */
export function nodeKey(prefix: string, id: string): string {
  return prefix + id.replaceAll(/[%/#:]/g, encodeURIComponent);
}
