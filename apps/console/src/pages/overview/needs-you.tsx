import type { ShownQueue } from '@errand/contracts';
import { read, type Query } from '../../api/call-api.js';
import { isNotFound } from '../../api/problems.js';
import { actingTenant } from '../../api/acting-tenant.js';
import { isOperator, shownTenant, whoami } from '../../api/session.js';
import { useLoaded } from '../../api/use-loaded.js';
import { usePolling } from '../../api/use-polling.js';
import { formatCount, plural } from '../../parts/format.js';
import { ErrorNotice } from '../../parts/notices.js';
import { ShapeIcon } from '../../parts/status-mark.js';
import type { ListPage } from '../../parts/list-view.js';
import { needsOfQueues, type Need } from './queue-needs.js';

const REFRESH_MS = 10_000;
/** More are shown as `100+`. */
const MOST_COUNTED = 100;

/** What waits for a person, each as a link with its count. */
export function NeedsYou({ queues }: { queues: readonly ShownQueue[] | undefined }) {
  const lists = useLoaded('needs', async (signal) => ({
    inbox: await countOf('/v1/inbox', {}, signal),
    dead: await countOf('/v1/deliveries', { status: 'failed' }, signal),
    problems: await countOf('/v1/tools/problems', {}, signal),
  }));
  usePolling(true, lists.reload, REFRESH_MS);
  const needs = [...needsOfQueues(queues ?? [], isOperator.value), ...needsOfLists(lists.data)];
  const tenant = tenantOfOperator();
  const isKnown = queues !== undefined && lists.data !== undefined;
  return (
    <section class="panel needs" data-testid="needs-you" aria-labelledby="needs-title">
      <h2 id="needs-title">Needs you</h2>
      {lists.error !== undefined && <ErrorNotice error={lists.error} onRetry={lists.reload} />}
      {needs.length > 0 && (
        <ul>
          {needs.map((need) => (
            <NeedLine key={need.name} need={need} />
          ))}
        </ul>
      )}
      {needs.length > 0 && tenant !== undefined && (
        <p class="needs-note faint">Questions and callbacks are those of the tenant {tenant}.</p>
      )}
      {needs.length === 0 && isKnown && (
        <p class="needs-none faint">
          <ShapeIcon shape="check" /> Nothing waits for a person{tenant !== undefined && ` in the tenant ${tenant}`}.
        </p>
      )}
      {needs.length === 0 && !isKnown && lists.error === undefined && <p class="needs-none faint">Looking …</p>}
    </section>
  );
}

function NeedLine({ need: { name, count, isMore, text, path, tone } }: { need: Need }) {
  return (
    <li data-need={name}>
      <a class="need" href={path}>
        <span class={`health-mark health-${tone}`}>
          <ShapeIcon shape={tone === 'bad' ? 'cross' : 'pause'} />
        </span>
        <span class="need-count">
          {formatCount(count)}
          {isMore && '+'}
        </span>
        {text}
      </a>
    </li>
  );
}

/** The operator of several tenants sees the questions and callbacks of one. Undefined for everybody else. */
function tenantOfOperator(): string | undefined {
  const hasTenants = actingTenant() !== undefined || whoami.value?.subject !== 'local';
  return isOperator.value && hasTenants ? shownTenant() : undefined;
}

interface Counted {
  count: number;
  isMore: boolean;
}

/** The number of items of a list, up to 100. None of a list that this server does not have. */
async function countOf(path: string, query: Query, signal: AbortSignal): Promise<Counted> {
  try {
    const isPaged = path !== '/v1/tools/problems';
    const page = await read<ListPage<unknown>>(path, { ...query, ...(isPaged && { limit: MOST_COUNTED }) }, signal);
    return { count: page.items.length, isMore: page.nextCursor !== null };
  } catch (error) {
    if (isNotFound(error)) return { count: 0, isMore: false };
    throw error;
  }
}

function needsOfLists(lists: { inbox: Counted; dead: Counted; problems: Counted } | undefined): Need[] {
  if (!lists) return [];
  const { inbox, dead, problems } = lists;
  const all: Need[] = [
    {
      name: 'inbox',
      ...inbox,
      text: plural(inbox.count, 'question waits', 'questions wait'),
      path: '/console/inbox',
      tone: 'waiting',
    },
    {
      name: 'deliveries',
      ...dead,
      text: plural(dead.count, 'callback was not delivered', 'callbacks were not delivered'),
      path: '/console/deliveries?status=failed',
      tone: 'bad',
    },
    {
      name: 'library',
      ...problems,
      text: plural(problems.count, 'problem in the library', 'problems in the library'),
      path: '/console/tools',
      tone: 'bad',
    },
  ];
  return all.filter(({ count }) => count > 0);
}
