import type { ProcessList, ShownProcess } from '@errand/contracts';
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../../api/use-loaded.js';
import { formatCount } from '../../parts/format.js';
import { ErrorNotice } from '../../parts/notices.js';
import { ShapeIcon } from '../../parts/status-mark.js';
import { HostileText } from '../../text/hostile-text.js';
import { countAlive, queueOfLabel } from './count-alive.js';
import type { Health } from './read-health.js';

type Tone = 'good' | 'waiting' | 'bad';

interface Fact {
  name: string;
  tone: Tone;
  text: ComponentChildren;
  hint?: string | undefined;
}

/** Whether Redis, workers and script-runners are there. */
export function HealthPanel({ health, processes }: { health: Loaded<Health>; processes: Loaded<ProcessList> }) {
  const { data, error, reload } = health;
  if (data === undefined)
    return (
      <section class="panel health" data-testid="health" aria-label="Health">
        {error === undefined ? (
          <p class="health-fact faint">Looking …</p>
        ) : (
          <ErrorNotice error={error} onRetry={reload} />
        )}
      </section>
    );
  return (
    <section class="panel health" data-testid="health" aria-label="Health">
      {factsOf(data, processes.data?.items).map(({ name, tone, text, hint }) => (
        <div key={name} class="health-fact" data-state={tone === 'good' ? 'ok' : 'problem'}>
          <span class={`health-mark health-${tone}`}>
            <ShapeIcon shape={tone === 'good' ? 'check' : 'cross'} />
          </span>
          <div>
            <p class="health-name">
              <HostileText text={name} limit={80} isFixed />
            </p>
            <p class="health-text">{text}</p>
            {hint !== undefined && (
              <p class="faint">
                <HostileText text={hint} />
              </p>
            )}
          </div>
        </div>
      ))}
    </section>
  );
}

function factsOf({ checks, runners }: Health, processes: readonly ShownProcess[] | undefined): Fact[] {
  const { redis = 'ok', workers = 'ok', scriptRunners } = checks;
  const counts = processes && countAlive(processes, 'invocations');
  const lost = counts?.lost ?? 0;
  const alive = counts === undefined ? 'Alive' : `${formatCount(counts.alive)} alive`;
  return [
    {
      name: 'Redis',
      tone: toneOf(redis),
      text: redis === 'ok' ? 'Takes writes' : 'Takes no writes',
      hint: hintOf(redis),
    },
    {
      name: 'Workers',
      tone: workers === 'ok' && lost > 0 ? 'waiting' : toneOf(workers),
      text: <AndLost text={workers === 'ok' && counts?.alive !== 0 ? alive : 'None is alive'} lost={lost} />,
      hint: hintOf(workers),
    },
    ...runnerFacts(runners ?? {}, processes ?? [], scriptRunners),
  ];
}

/** One fact for each label. What is wrong stands at the first label without a script-runner. */
function runnerFacts(
  runners: Readonly<Record<string, number>>,
  processes: readonly ShownProcess[],
  check = 'ok',
): Fact[] {
  const facts = Object.entries(runners).map(([label, count]) => {
    const { lost } = countAlive(processes, queueOfLabel(label));
    return {
      isMissing: count === 0,
      name: label === 'default' ? 'Script-runners' : `Script-runners of ${label}`,
      tone: count > 0 && lost === 0 ? ('good' as const) : ('waiting' as const),
      text: <AndLost text={count > 0 ? `${formatCount(count)} ready` : 'None is alive'} lost={lost} />,
    };
  });
  const missing = facts.find(({ isMissing }) => isMissing);
  if (check === 'ok') return facts;
  if (missing) return facts.map((fact) => (fact === missing ? { ...fact, hint: check } : fact));
  return [...facts, { name: 'Scripts', tone: 'waiting', text: 'Some cannot run', hint: check }];
}

/** How many are alive, and how many were lost in the last hour. */
function AndLost({ text, lost }: { text: string; lost: number }) {
  return (
    <>
      {text}
      {lost > 0 && (
        <>
          , <a href="/console/processes?state=lost">{formatCount(lost)} lost</a>
        </>
      )}
    </>
  );
}

function toneOf(check: string): Tone {
  return check === 'ok' ? 'good' : 'bad';
}

function hintOf(check: string): string | undefined {
  return check === 'ok' ? undefined : check;
}
