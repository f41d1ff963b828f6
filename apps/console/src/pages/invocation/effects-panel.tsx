import type { Invocation, Json, Status } from '@errand/contracts';
import { usePagedList } from '../../api/use-paged-list.js';
import { JsonTree } from '../../parts/json-tree.js';
import { ListView } from '../../parts/list-view.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { EmptyNotice } from '../../parts/notices.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import { pageOf } from './page-address.js';

/** So many effects are in the page at a time. */
const SHOWN_EFFECTS = 20;

/** An entry of the ledger of effects: a call with an effect, and the equal calls that did not run. */
interface Effect {
  toolId: string;
  arguments: Json | null;
  invocationId: string;
  step: number;
  status: Status | null;
  at: string;
  repeats: readonly { invocationId: string; step: number; at: string }[];
}

/** What tools with `effects: once` have done in this session, and which calls of this invocation took part. */
export function EffectsPanel({ invocation }: { invocation: Invocation }) {
  const { session } = invocation;
  if (session === null) {
    return (
      <EmptyNotice title="No effect is recorded">
        Errand records effects of tools with <code>effects: once</code> in a session, and this invocation has no
        session.
      </EmptyNotice>
    );
  }
  return <Ledger id={invocation.id} session={session} />;
}

function Ledger({ id, session }: { id: string; session: string }) {
  const list = usePagedList<Effect>('/v1/effects', { session });
  const empty = (
    <EmptyNotice title="No effect in this session">No tool with “effects: once” has run in this session.</EmptyNotice>
  );
  return (
    <ListView list={list} empty={empty}>
      {(items) => (
        <InParts items={items} at={PART} size={SHOWN_EFFECTS} label="effects" list={list}>
          {(part) => (
            <ul class="stack">
              {part.map((effect) => (
                <EffectCard key={`${effect.invocationId}/${effect.step}`} effect={effect} id={id} />
              ))}
            </ul>
          )}
        </InParts>
      )}
    </ListView>
  );
}

function EffectCard({ effect, id }: { effect: Effect; id: string }) {
  const { toolId, arguments: args, invocationId, step, at, repeats, status } = effect;
  return (
    <li class="panel panel-body stack" data-testid="effect" data-invocation={invocationId}>
      <div class="delivery-head">
        <h2>
          <HostileText text={toolId} limit={200} />
        </h2>
        <Time at={at} />
      </div>
      <p>
        {invocationId === id ? (
          <>This invocation made it in step {step}.</>
        ) : (
          <>
            Step {step} of <Link id={invocationId} /> made it.
          </>
        )}{' '}
        {status === null && <span class="faint">That invocation is not stored any more.</span>}
      </p>
      {repeats.length > 0 && (
        <p>
          {repeats.length === 1 ? 'One equal call' : `${repeats.length} equal calls`} did not run again:{' '}
          {repeats.slice(0, 20).map((repeat, n) => (
            <span key={`${repeat.invocationId}/${repeat.step}`}>
              {n > 0 && ', '}
              {repeat.invocationId === id ? (
                `step ${repeat.step} of this invocation`
              ) : (
                <Link id={repeat.invocationId} />
              )}
            </span>
          ))}
        </p>
      )}
      {args !== null && <JsonTree value={args} label="Arguments" />}
    </li>
  );
}

function Link({ id }: { id: string }) {
  return (
    <a href={pageOf(id)} class="mono">
      <HostileText text={id} limit={60} isFixed />
    </a>
  );
}
