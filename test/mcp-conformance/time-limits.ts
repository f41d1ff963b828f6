import { setTimeout as delay } from 'node:timers/promises';
import { askMcp } from '../support/mcp-client.js';

/** The tool of the checks with time limits. It asks its user, so that a worker must have run its workflow for the first message. */
const TOOL = 'test_streaming_elicitation';
/** A third of the shortest limit, which is 500 ms. */
const FAST_MS = 170;
/** Quick calls in a row before a scenario begins. */
const CALLS = 3;
const MOST_CALLS = 200;
const PAUSE_MS = 200;

/**
 * The scenarios with time limits that no option changes. `sep-2575-http-server-no-independent-requests-on-stream` waits 600 ms for the first
 * message of a call, which goes through the queue and a worker. A loaded machine is slower at times, and so is the first call of a tool.
 */
export const SCENARIOS_WITH_TIME_LIMITS: ReadonlySet<string> = new Set(['server-stateless']);

/** Waits until calls are quick. After MOST_CALLS it gives up, and the scenario shows what is slow. */
export async function untilCallsAreQuick(url: string): Promise<void> {
  let quick = 0;
  for (let calls = 0; calls < MOST_CALLS && quick < CALLS; calls++) {
    const began = performance.now();
    await askMcp(url, {
      method: 'tools/call',
      params: { name: TOOL, arguments: {} },
      capabilities: { elicitation: {} },
    });
    quick = performance.now() - began < FAST_MS ? quick + 1 : 0;
    if (quick === 0) await delay(PAUSE_MS);
  }
}
