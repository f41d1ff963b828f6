import { AguiRun, runError, runStarted, type AguiEvent, type AguiRunIds } from '@errand/agents';
import { Queues, readInvocation, type NumberedEvent } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import type { OnDisconnect } from '../stream/patience.js';
import { InvocationWatcher } from '../stream/wait-for-invocation.js';
import {
  endAtWait,
  endWithOpen,
  endWithTurn,
  failureOf,
  observeFailure,
  roundsOf,
  type ShownRun,
} from './end-of-run.js';
import { idsOf, type RunRequest, type RunView } from './run-view.js';
import { StateAtBegin } from './state-at-begin.js';

/** Events of a run that are sent together, or a sign of life while there are none. */
export type RunItem = readonly AguiEvent[] | 'heartbeat';

/** Shows runs as events of AG-UI. */
@Injectable()
export class ShowRun {
  constructor(
    private readonly watcher: InvocationWatcher,
    private readonly queues: Queues,
  ) {}

  /** The events of a run, from its first to its last. A run that has ended gives the same events again. */
  async *show(request: RunRequest, view: RunView, onDisconnect: OnDisconnect): AsyncGenerator<RunItem> {
    const ids = idsOf(request.input, view.turn);
    yield [runStarted(ids)];
    try {
      if (view.kind === 'refused') yield [runError(view)];
      else if (view.kind === 'left') yield [await endWithOpen(this.queues, request, ids, view)];
      else yield* this.showTurn(request, view, ids, onDisconnect);
    } catch (error) {
      yield [failureOf(error)];
    }
  }

  private async *showTurn(
    request: RunRequest,
    { turn, after }: Extract<RunView, { kind: 'turn' }>,
    ids: AguiRunIds,
    onDisconnect: OnDisconnect,
  ): AsyncGenerator<RunItem> {
    const begun = await readInvocation(this.queues, request.scope.tenant, turn);
    if (!begun) {
      yield [runError({ code: 'not_found', message: `Retention has removed the turn ${turn}` })];
      return;
    }
    const run = new AguiRun({ id: turn, rounds: roundsOf(begun), observeFailure });
    try {
      yield* this.follow({ request, ids, turn, after, run }, onDisconnect);
    } catch (error) {
      yield [...run.close(), failureOf(error)];
    }
  }

  /** Every path ends with the end of the run, also if the API stops. */
  private async *follow(shown: ShownRun, onDisconnect: OnDisconnect): AsyncGenerator<RunItem> {
    const { request, run, turn, after } = shown;
    const { tenant } = request.scope;
    const state = new StateAtBegin(this.queues, { tenant, session: request.input.threadId }, turn);
    for await (const item of this.watcher.follow(tenant, turn, after, onDisconnect)) {
      if (item.kind === 'heartbeat') {
        yield item.kind;
        continue;
      }
      yield await state.events();
      if (item.kind === 'ended') {
        yield endWithTurn(shown, item.invocation);
        return;
      }
      for (const events of splitAtWaits(item.events)) {
        yield events.flatMap((event) => (state.includes(event) ? [] : run.translate(event.event)));
        const end = isWait(events.at(-1)) ? await endAtWait(this.queues, shown) : undefined;
        if (!end) continue;
        yield end;
        return;
      }
    }
    yield [...run.close(), failureOf()];
  }
}

/** The events in parts, of which each may end with a wait. What comes before a wait is sent before the wait is looked at. */
function splitAtWaits(events: readonly NumberedEvent[]): NumberedEvent[][] {
  const parts: NumberedEvent[][] = [[]];
  for (const event of events) {
    parts.at(-1)?.push(event);
    if (isWait(event)) parts.push([]);
  }
  return parts;
}

function isWait(numbered: NumberedEvent | undefined): boolean {
  return numbered?.event.event === 'status' && numbered.event.status === 'waiting_external';
}
