/** Whether two JSON values are equal, whatever the order of their keys. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [first, second] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  if (first.size !== second.size) return false;
  return [...first].every(([key, value]) => second.has(key) && sameValue(value, second.get(key)));
}
