/** A link to an invocation. The time is the same in all new ids, so that their ends tell them apart. */
export function InvocationLink({ id, tab, testId }: { id: string; tab?: string; testId?: string }) {
  return (
    <a
      class="mono invocation-link"
      href={`/console/invocations/${encodeURIComponent(id)}${tab === undefined ? '' : `?tab=${tab}`}`}
      title={id}
      data-testid={testId}
    >
      {id.length > 20 ? `${id.slice(0, 14)}…${id.slice(-6)}` : id}
    </a>
  );
}
