import type { ProcessList, ShownProcess } from '@errand/contracts';
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../../api/use-loaded.js';
import { formatCount } from '../../parts/format.js';
import { ErrorNotice } from '../../parts/notices.js';
import { ShapeIcon } from '../../parts/status-mark.js';
import { HostileText } from '../../text/hostile-text.js';
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
  return [
    {
      name: 'Redis',
      tone: toneOf(redis),
      text: redis === 'ok' ? 'Takes writes' : 'Takes no writes',
      hint: hintOf(redis),
    },
    {
      name: 'Workers',
      tone: toneOf(workers),
      text: <Alive processes={processes} kind="worker" isAlive={workers === 'ok'} />,
      hint: hintOf(workers),
    },
    ...runnerFacts(runners ?? {}, scriptRunners),
  ];
}

/** One fact for each label. What is wrong stands at the first label without a script-runner. */
function runnerFacts(runners: Readonly<Record<string, number>>, check = 'ok'): Fact[] {
  const facts = Object.entries(runners).map(([label, count]): Fact => ({
    name: label === 'default' ? 'Script-runners' : `Script-runners of ${label}`,
    tone: count > 0 ? 'good' : 'waiting',
    text: count > 0 ? `${formatCount(count)} ready` : 'None is alive',
  }));
  const missing = facts.find(({ tone }) => tone === 'waiting');
  if (check === 'ok') return facts;
  if (missing) return facts.map((fact) => (fact === missing ? { ...fact, hint: check } : fact));
  return [...facts, { name: 'Scripts', tone: 'waiting', text: 'Some cannot run', hint: check }];
}

function Alive({
  processes,
  kind,
  isAlive,
}: {
  processes: readonly ShownProcess[] | undefined;
  kind: ShownProcess['kind'];
  isAlive: boolean;
}) {
  if (!processes) return <>{isAlive ? 'Alive' : 'None is alive'}</>;
  const own = processes.filter((process) => process.kind === kind);
  const lost = own.filter(({ state }) => state === 'lost').length;
  const ready = own.length - lost;
  return (
    <>
      {ready === 0 ? 'None is alive' : `${formatCount(ready)} alive`}
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
