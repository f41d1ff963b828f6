import type { InboxItem, RefusalSummary, ShownProcess, Stats } from '@errand/contracts';
import { Fragment } from 'preact';
import { read, type Query } from '../../api/call-api.js';
import { isNotFound } from '../../api/problems.js';
import { useLoaded, type Loaded } from '../../api/use-loaded.js';
import { usePolling } from '../../api/use-polling.js';
import { now } from '../../parts/clock.js';
import { formatCount } from '../../parts/format.js';
import type { ListPage } from '../../parts/list-view.js';
import { ErrorNotice } from '../../parts/notices.js';
import { ShapeIcon } from '../../parts/status-mark.js';
import { HostileText } from '../../text/hostile-text.js';
import { cutResults, repeatedEffects } from './found-signs.js';
import type { Finds, RecentFinds } from './recent-finds.js';
import { OPEN_MS, signsOf, type Sign, type SignSources } from './signs.js';

const REFRESH_MS = 30_000;
const HOUR_MS = 3_600_000;
/** The items of a page. */
const PAGE = 100;

/** What may be wrong: each as a link to where one sees more. It is absent while nothing is. */
export function LookAt({ processes }: { processes: readonly ShownProcess[] | undefined }) {
  const sources = useLoaded('signs', readSources);
  usePolling(true, sources.reload, REFRESH_MS);
  const repeated = useFinds('effects', repeatedEffects, '/v1/effects', {}).data;
  const cut = useFinds('cut', cutResults, '/v1/invocations', { status: 'succeeded', fields: 'observation' }).data;
  const signs = signsOf({ ...sources.data, processes, repeated, cut }, now.value);
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

/** What was found in a list. These reads are apart from the others, because the first ones take several pages. */
function useFinds<Item, T>(key: string, finds: RecentFinds<Item, T>, path: string, query: Query): Loaded<Finds<T>> {
  const found = useLoaded(`found ${key}`, (signal) =>
    finds.look((cursor) => unlessAbsent(read<ListPage<Item>>(path, { ...query, cursor, limit: PAGE }, signal))),
  );
  usePolling(true, found.reload, REFRESH_MS);
  return found;
}

function SignLine({ sign }: { sign: Sign }) {
  const { name, path } = sign;
  return (
    <li data-sign={name}>
      {path === undefined ? (
        <div class="need">
          <SignText sign={sign} />
        </div>
      ) : (
        <a class="need" href={path}>
          <SignText sign={sign} />
        </a>
      )}
    </li>
  );
}

function SignText({ sign: { count, isMore, text, what, tone, links } }: { sign: Sign }) {
  return (
    <>
      <span class={`health-mark health-${tone}`}>
        <ShapeIcon shape={tone === 'bad' ? 'cross' : 'ring'} />
      </span>
      <span class="need-count">
        {formatCount(count)}
        {isMore && '+'}
      </span>
      <span>
        {text}
        {what !== undefined && (
          <>
            {' '}
            <HostileText text={what} limit={80} isFixed />
          </>
        )}
        {links?.map((link, index) => (
          <Fragment key={index}>
            {index > 0 && ','}{' '}
            <a href={link.path}>
              <HostileText text={link.text} limit={80} isFixed />
            </a>
          </Fragment>
        ))}
        {links !== undefined && count > links.length && ' and others'}
      </span>
    </>
  );
}

async function readSources(signal: AbortSignal): Promise<SignSources> {
  const from = new Date(Date.now() - HOUR_MS).toISOString();
  const items = async <T,>(path: string, query: Query): Promise<readonly T[] | undefined> =>
    (await unlessAbsent(read<ListPage<T>>(path, query, signal)))?.items;
  const to = new Date(Date.now() - OPEN_MS).toISOString();
  const [inbox, failed, refused, open] = await Promise.all([
    items<InboxItem>('/v1/inbox', { limit: PAGE }),
    unlessAbsent(read<Stats>('/v1/stats', { metric: 'failed', by: 'errorType' }, signal)),
    items<RefusalSummary>('/v1/refusals/summary', { by: 'tool', from }),
    read<ListPage<{ id: string; waiting?: unknown }>>(
      '/v1/invocations',
      { status: 'running,waiting_external', to, fields: 'waiting', limit: PAGE },
      signal,
    ),
  ]);
  return { inbox, failed, refused, open };
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
