import type { EffectEntry, InboxItem, RefusalSummary, ShownProcess, Stats } from '@errand/contracts';
import { read, type Query } from '../../api/call-api.js';
import { isNotFound } from '../../api/problems.js';
import { useLoaded } from '../../api/use-loaded.js';
import { usePolling } from '../../api/use-polling.js';
import { now } from '../../parts/clock.js';
import { formatCount } from '../../parts/format.js';
import type { ListPage } from '../../parts/list-view.js';
import { ErrorNotice } from '../../parts/notices.js';
import { ShapeIcon } from '../../parts/status-mark.js';
import { HostileText } from '../../text/hostile-text.js';
import { signsOf, type Sign, type SignSources } from './signs.js';

const REFRESH_MS = 30_000;
const HOUR_MS = 3_600_000;
/** So many of the newest items of each list are looked at. */
const NEWEST = 100;

/** What may be wrong: each as a link to where one sees more. It is absent while nothing is. */
export function LookAt({ processes }: { processes: readonly ShownProcess[] | undefined }) {
  const sources = useLoaded('signs', readSources);
  usePolling(true, sources.reload, REFRESH_MS);
  const signs = signsOf({ ...sources.data, processes }, now.value);
  if (sources.error !== undefined && !sources.data)
    return <ErrorNotice error={sources.error} onRetry={sources.reload} />;
  if (signs.length === 0) return null;
  return (
    <section class="panel needs" data-testid="look-at" aria-labelledby="look-title">
      <h2 id="look-title">Worth a look</h2>
      <ul>
        {signs.map((sign) => (
          <SignLine key={`${sign.name} ${sign.what}`} sign={sign} />
        ))}
      </ul>
    </section>
  );
}

function SignLine({ sign: { name, count, text, what, path, tone } }: { sign: Sign }) {
  return (
    <li data-sign={name}>
      <a class="need" href={path}>
        <span class={`health-mark health-${tone}`}>
          <ShapeIcon shape={tone === 'bad' ? 'cross' : 'ring'} />
        </span>
        <span class="need-count">{formatCount(count)}</span>
        <span>
          {text}
          {what !== undefined && (
            <>
              {' '}
              <HostileText text={what} limit={80} isFixed />
            </>
          )}
        </span>
      </a>
    </li>
  );
}

async function readSources(signal: AbortSignal): Promise<SignSources> {
  const from = new Date(Date.now() - HOUR_MS).toISOString();
  const items = async <T,>(path: string, query: Query): Promise<readonly T[] | undefined> =>
    (await unlessAbsent(read<ListPage<T>>(path, query, signal)))?.items;
  const [inbox, failed, refused, effects, ended] = await Promise.all([
    items<InboxItem>('/v1/inbox', { limit: NEWEST }),
    unlessAbsent(read<Stats>('/v1/stats', { metric: 'failed', by: 'errorType' }, signal)),
    items<RefusalSummary>('/v1/refusals/summary', { by: 'tool', from }),
    items<EffectEntry>('/v1/effects', { limit: NEWEST }),
    items<{ id: string; observation?: string | null }>('/v1/invocations', {
      status: 'succeeded',
      fields: 'observation',
      limit: NEWEST,
    }),
  ]);
  return { inbox, failed, refused, effects, ended };
}

/** A server may lack a route. */
async function unlessAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
