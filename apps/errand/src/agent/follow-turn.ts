import type { Invocation } from '@errand/contracts';
import type { ApiClient } from '../client/api-client.js';
import { followInvocation } from '../client/follow-invocation.js';
import { onInterrupt } from '../client/watch-invocation.js';
import { printJson } from '../terminal.js';
import { answerWaits } from './answer-waits.js';
import type { Keyboard } from './keyboard.js';
import { TurnDisplay } from './show-turn.js';

/**
 * Follows a turn to its end and answers its client tools from the keyboard. With `json`, each event is a line of stdout.
 * @returns the ended turn; undefined if the input ended while the turn waits for an answer
 * @throws RefusedError or UnreachableError
 */
export async function followTurn(
  client: ApiClient,
  id: string,
  { keyboard, json = false }: { keyboard: Keyboard; json?: boolean },
): Promise<Invocation | undefined> {
  const leave = onInterrupt(client, id);
  const display = new TurnDisplay();
  try {
    for await (const event of followInvocation(client, id)) {
      if (json) printJson(event);
      else if (event.event !== 'end') display.show(event);
      if (event.event === 'end') {
        if (!json) display.showEnd(event.invocation);
        return event.invocation;
      }
      if (event.event !== 'status' || event.status !== 'waiting_external') continue;
      display.endText();
      if (!(await answerWaits(client, id, keyboard))) return undefined;
    }
    return undefined;
  } finally {
    leave();
  }
}
