import type { ShownProcess } from '@errand/contracts';
import { useEffect, useRef } from 'preact/hooks';
import { drainProcess } from '../../api/queue-requests.js';
import { ActionButton } from '../../parts/action-button.js';
import { Figure, Figures, SlotUse } from '../../parts/figure.js';
import { formatCount, formatDuration } from '../../parts/format.js';
import { Mark } from '../../parts/mark.js';
import { Time } from '../../parts/time.js';
import { showToast } from '../../shell/toasts.js';
import { PROCESS_LOOKS } from '../../statuses.js';
import { HostileText } from '../../text/hostile-text.js';
import { InHandList } from './in-hand-list.js';
import { hashOf } from './process-address.js';

const KIND_NAMES = { api: 'API', worker: 'Worker', runner: 'Script-runner' };

interface Props {
  process: ShownProcess;
  /** Where another process is shown. Undefined if it is not in the list. */
  addressOf: (id: string) => string | undefined;
  /** Of a lost process: what becomes of its jobs. */
  takeOver: string;
  onChange: (changed: ShownProcess) => void;
}

/** One process: what it is, how it does, and what it runs. */
export function ProcessPanel({ process, addressOf, takeOver, onChange }: Props) {
  const { id, kind, state } = process;
  const element = useRef<HTMLElement>(null);
  // The browser does not scroll to a process that comes onto the page by a link of another part of the list.
  useEffect(() => {
    if (location.hash === hashOf(id)) element.current?.scrollIntoView();
  }, [id]);
  return (
    <article
      ref={element}
      class="panel panel-body process"
      id={`process-${id}`}
      data-testid="process"
      data-id={id}
      data-kind={kind}
      data-state={state}
    >
      <header class="process-head">
        <h2>{KIND_NAMES[kind]}</h2>
        <span class="mono">
          <HostileText text={id} limit={80} isFixed />
        </span>
        <Mark {...PROCESS_LOOKS[state]} />
        <span class="process-action">
          <DrainButton process={process} onChange={onChange} />
        </span>
      </header>
      <ProcessFacts process={process} />
      <ProcessTrouble process={process} takeOver={takeOver} />
      {state !== 'lost' && <ProcessFigures process={process} />}
      <InHandList process={process} addressOf={addressOf} />
    </article>
  );
}

function DrainButton({ process: { id, kind, state }, onChange }: Pick<Props, 'process' | 'onChange'>) {
  if (kind === 'api' || state !== 'ready') return null;
  const drain = async () => {
    onChange(await drainProcess(id));
    showToast(`${id} drains: it ends what it has, and takes nothing new until it is restarted`);
  };
  return (
    <ActionButton testId="drain" forOperator onAction={drain}>
      Drain
    </ActionButton>
  );
}

function ProcessTrouble({ process: { state, lastSeenAt }, takeOver }: Pick<Props, 'process' | 'takeOver'>) {
  if (state === 'draining')
    return <p class="notice-line">It ends what it has, and takes nothing new until it is restarted.</p>;
  if (state !== 'lost') return null;
  return (
    <p class="notice-line notice-line-bad">
      Its last heartbeat came at <Time at={lastSeenAt} withDistance />. It was killed, it hangs, or it does not reach
      Redis. <HostileText text={takeOver} isFixed />
    </p>
  );
}

function ProcessFacts({ process: { host, version, startedAt, queues, labels } }: { process: ShownProcess }) {
  return (
    <p class="process-facts">
      {queues.length > 0 && (
        <span>
          Takes <HostileText text={queues.join(', ')} limit={300} />
        </span>
      )}
      {labels.length > 0 && (
        <span>
          Labels <HostileText text={labels.join(', ')} limit={300} />
        </span>
      )}
      {host !== null && (
        <span>
          Host <HostileText text={host} limit={80} isFixed />
        </span>
      )}
      <span>Version {version}</span>
      <span>
        Started <Time at={startedAt} />
      </span>
    </p>
  );
}

function ProcessFigures({ process }: { process: ShownProcess }) {
  const { kind, slots, inHand, load, containers } = process;
  return (
    <Figures>
      {kind !== 'api' && (
        <Figure name="Slots in use">
          <SlotUse used={inHand.length} slots={slots} />
        </Figure>
      )}
      <Figure name="CPU" title="Processor time in cores, since the heartbeat before">
        {Math.round(load.cpu * 100)} %
      </Figure>
      <Figure name="Memory">{formatCount(load.rssMb)} MB</Figure>
      <Figure name="Event loop lag">{formatDuration(load.eventLoopLagMs)}</Figure>
      {containers && (
        <Figure name="Containers" title="Running, and ready for a script">
          {containers.running} <span class="faint">run, {containers.waiting} ready</span>
        </Figure>
      )}
    </Figures>
  );
}
