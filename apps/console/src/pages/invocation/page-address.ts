/** The address of the page of an invocation. */
export function pageOf(id: string): string {
  return `/console/invocations/${encodeURIComponent(id)}`;
}
