import type { Invocation } from '@errand/contracts';

/** The JSON of an invocation. It is equal to that of `JSON.stringify`. `calls` and `steps` are the same list, which is serialized once. */
export function invocationJson(invocation: Invocation): string {
  const { calls, steps } = invocation;
  if (calls !== steps) return JSON.stringify(invocation);
  const list = JSON.stringify(steps);
  const fields: string[] = [];
  for (const [name, value] of Object.entries(invocation) as [string, unknown][]) {
    if (value !== undefined) fields.push(`"${name}":${value === steps ? list : JSON.stringify(value)}`);
  }
  return `{${fields.join(',')}}`;
}
