import type { Invocation, Json, Status } from '@errand/contracts';
import type { SentEvent } from './client/follow-invocation.js';
import { colour, escapeControls, print, say } from './terminal.js';

const PAINT: Partial<Record<string, (text: string) => string>> = {
  queued: colour.dim,
  running: colour.cyan,
  waiting_external: colour.yellow,
  succeeded: colour.green,
  failed: colour.red,
  cancelled: colour.yellow,
} satisfies Record<Status, (text: string) => string>;

/** A status in its colour. Another version of the API can have statuses that this one does not know. */
export const paintStatus = (status: string): string => (PAINT[status] ?? String)(escapeControls(status));

/** Shows an event on stderr, because stdout is for results. `isSingle`: the invocation has one step, whose status is its own. */
export function showEvent(event: SentEvent, isSingle: boolean): void {
  switch (event.event) {
    case 'status':
      return say(`  ${paintStatus(event.status)}`);
    case 'step':
      if (isSingle && event.nodeId === undefined) return;
      return say(colour.dim(`  step ${event.index}${nodeName(event.nodeId)}: ${escapeControls(event.status)}`));
    case 'progress':
      return say(colour.dim(`  ${Math.round(event.value * 100)} % ${escapeControls(event.message ?? '')}`));
    case 'log':
      return say(`  ${colour.dim('│')} ${escapeControls(event.line)}`);
    case 'output':
      return say(`  ${colour.dim('→')} ${escapeControls(JSON.stringify(event.chunk))}`);
    case 'gap':
      return say(colour.dim(`  … ${escapeControls(event.message)}`));
    default:
  }
}

const nodeName = (nodeId: string | undefined) => (nodeId === undefined ? '' : `, node ${escapeControls(nodeId)}`);

/** Shows the outcome of an ended invocation: result and Observation on stdout, the error on stderr. */
export function showEnd({ status, result, error, observation, resultTruncated, id }: Invocation, again: string): void {
  if (status === 'succeeded') print(`${colour.bold('Result:')} ${textOf(result)}`);
  else if (error) say(`${paintStatus(status)}: ${escapeControls(`${error.type}: ${error.message}`)}`);
  if (resultTruncated) say(`The result is cut. The whole result: ./errand result ${id}${again}`);
  if (observation) print(escapeControls(observation));
}

/** A value for a person: a text as it is, any other value as JSON. */
export function textOf(value: Json | undefined): string {
  return escapeControls(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
}
