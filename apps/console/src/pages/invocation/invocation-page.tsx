import type { Invocation } from '@errand/contracts';
import './invocation.css';
import { isNotFound } from '../../api/problems.js';
import type { PageProps } from '../../lazy-page.js';
import { LazyPart } from '../../parts/lazy-part.js';
import { EmptyNotice, ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { Tabs, type TabItem } from '../../parts/tabs.js';
import { markedString } from '../../text/mark-text.js';
import { NotFoundNotice } from '../../parts/not-found-notice.js';
import { HeadActions, HeadFacts } from './invocation-head.js';
import { CutNotice } from './cut-notice.js';
import { DeduplicatedNotice } from './deduplicated-notice.js';
import { FailureNotice } from './failure-notice.js';
import { useInvocation, type Followed } from './use-invocation.js';
import { LongRunNotice } from './long-run-notice.js';
import { LossNotice } from './loss-notice.js';
import { useLosses, type Loss } from './losses.js';
import { isFinal } from '../../statuses.js';
import { TimelinePanel } from './timeline-panel.js';
import { WaitNotice } from './wait-notice.js';

/** One invocation: what it does, why it waits or failed, and everything that it left. */
export default function InvocationPage({ id }: PageProps) {
  const followed = useInvocation(id);
  const { data, error, isLoading, reload } = followed.invocation;
  const losses = useLosses(data);
  if (!data) {
    return (
      <Page
        page="invocation"
        title="Invocation"
        state={error !== undefined && !isLoading ? 'error' : 'loading'}
        subtitle={markedString(id)}
      >
        {isNotFound(error) ? (
          <NotFoundNotice what={`There is no invocation ${id}`} />
        ) : error === undefined ? (
          <LoadingRows />
        ) : (
          <ErrorNotice error={error} onRetry={reload} />
        )}
      </Page>
    );
  }
  return (
    <Page
      page="invocation"
      title={titleOf(data)}
      state="ready"
      subtitle={<HeadFacts invocation={data} />}
      actions={<HeadActions invocation={data} onChange={reload} />}
    >
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      <WaitNotice invocation={data} />
      <LongRunNotice invocation={data} />
      <LossNotice losses={losses} />
      <FailureNotice invocation={data} />
      <DeduplicatedNotice invocation={data} />
      <CutNotice invocation={data} />
      <Tabs tabs={tabsOf(data)}>
        {(name) => <TabPanel name={name} followed={followed} invocation={data} losses={losses} />}
      </Tabs>
    </Page>
  );
}

/** The tools that it calls, as the model knows them. */
function titleOf({ steps }: Invocation): string {
  const names = [...new Set(steps.map(({ toolId }) => toolId))];
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return markedString(names.slice(0, 3).join(', ').slice(0, 200)) + more;
}

function tabsOf({ steps, artifacts = [] }: Invocation): TabItem[] {
  const rounds = steps.flatMap((step) => step.rounds ?? []).length;
  const isTurn = steps.some(({ toolId, rounds: own }) => own !== undefined || toolId.startsWith('agent:'));
  return [
    { name: 'timeline', title: 'Timeline', ...(steps.length > 1 && { count: steps.length }) },
    { name: 'graph', title: 'Graph' },
    { name: 'log', title: 'Log' },
    { name: 'text', title: 'Text' },
    ...(isTurn ? [{ name: 'rounds', title: 'Rounds', ...(rounds > 0 && { count: rounds }) }] : []),
    { name: 'result', title: 'Result', ...(artifacts.length > 0 && { count: artifacts.length }) },
    { name: 'deliveries', title: 'Deliveries' },
    { name: 'effects', title: 'Effects' },
    { name: 'raw', title: 'Raw' },
  ];
}

/** Parts that few readers open are chunks of their own. The text part is built beside this page. */
const TEXT = import.meta.glob<{ TextPanel: preact.ComponentType<{ id: string }> }>('./text-panel.tsx');

interface PanelProps {
  name: string;
  followed: Followed;
  invocation: Invocation;
  losses: readonly Loss[];
}

function TabPanel({ name, followed, invocation, losses }: PanelProps) {
  const { id } = invocation;
  const isOpen = !isFinal(invocation.status);
  switch (name) {
    case 'graph':
      return <LazyPart load={loadGraph} props={{ invocation }} />;
    case 'log':
      return (
        <LazyPart load={loadLog} props={{ id, steps: invocation.steps.length, round: followed.logRound, isOpen }} />
      );
    case 'text':
      return <TextPart id={id} />;
    case 'rounds':
      return <LazyPart load={loadRounds} props={{ invocation }} />;
    case 'result':
      return <LazyPart load={loadResult} props={{ invocation }} />;
    case 'deliveries':
      return <LazyPart load={loadDeliveries} props={{ id, status: invocation.status }} />;
    case 'effects':
      return <LazyPart load={loadEffects} props={{ invocation }} />;
    case 'raw':
      return <LazyPart load={loadRaw} props={{ invocation }} />;
    default:
      return <TimelinePanel invocation={invocation} timeline={followed.timeline.data} losses={losses} />;
  }
}

const loadGraph = () => import('./graph-panel.js').then(({ GraphPanel }) => GraphPanel);
const loadLog = () => import('./log-panel.js').then(({ LogPanel }) => LogPanel);
const loadRounds = () => import('./rounds-panel.js').then(({ RoundsPanel }) => RoundsPanel);
const loadResult = () => import('./result-panel.js').then(({ ResultPanel }) => ResultPanel);
const loadDeliveries = () => import('./deliveries-panel.js').then(({ DeliveriesPanel }) => DeliveriesPanel);
const loadEffects = () => import('./effects-panel.js').then(({ EffectsPanel }) => EffectsPanel);
const loadRaw = () => import('./raw-panel.js').then(({ RawPanel }) => RawPanel);
const importText = TEXT['./text-panel.tsx'];
const loadText = importText && (() => importText().then(({ TextPanel }) => TextPanel));

function TextPart({ id }: { id: string }) {
  if (!loadText) return <EmptyNotice title="This version does not show the text of the model" />;
  return <LazyPart load={loadText} props={{ id }} />;
}
