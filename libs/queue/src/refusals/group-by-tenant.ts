/** The items of each tenant, in their order. */
export function groupByTenant<T extends { tenant: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const own = groups.get(item.tenant);
    if (own) own.push(item);
    else groups.set(item.tenant, [item]);
  }
  return groups;
}
