import { HostileText } from '../../text/hostile-text.js';

/** A link to a process in the list of processes, which scrolls to it. */
export function ProcessLink({ id }: { id: string }) {
  return (
    <a href={`/console/processes#${encodeURIComponent(`process-${id}`)}`} class="mono">
      <HostileText text={id} limit={80} isFixed />
    </a>
  );
}
