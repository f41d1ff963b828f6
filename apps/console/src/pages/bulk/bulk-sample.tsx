import type { InvocationRow } from '@errand/contracts';
import { formatCount } from '../../parts/format.js';
import { StatusMark } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';

/** The first invocations that a dry run has found. */
export function BulkSample({ rows, matched }: { rows: readonly InvocationRow[]; matched: number }) {
  const rest = matched - rows.length;
  return (
    <div class="bulk-sample" data-testid="bulk-sample" tabIndex={0} role="group" aria-label="The first of them">
      <ul>
        {rows.map(({ id, status, toolIds, createdAt }) => (
          <li key={id} data-id={id}>
            <StatusMark status={status} />
            <span class="bulk-tools">
              <HostileText text={toolIds.join(', ')} limit={80} isFixed />
            </span>
            <span class="mono faint" title={id}>
              …{id.slice(-8)}
            </span>
            <Time at={createdAt} />
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="faint">and {formatCount(rest)} more</p>}
    </div>
  );
}
