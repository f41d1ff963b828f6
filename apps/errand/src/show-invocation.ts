import { type Invocation, type InvocationEvent, type Status, KnownError } from '@errand/contracts';
import { renderDiagnostic } from '@errand/protocol';
import { followInvocation, type Refusal } from './api-client.js';
import { colour, escapeControls, isColourful, print, say } from './terminal.js';

const PAINT: Record<Status, (text: string) => string> = {
  queued: colour.dim,
  running: colour.cyan,
  waiting_external: colour.yellow,
  succeeded: colour.green,
  failed: colour.red,
  cancelled: colour.yellow,
};

/** Follows an invocation to its end and shows its events: progress on stderr, result and Observation on stdout. */
export async function showInvocation(api: string, { id, steps }: Invocation): Promise<Invocation> {
  say(colour.dim(`${id} submitted`));
  for await (const event of followInvocation(api, id)) {
    // A single step has the status of the invocation.
    const isRepeated = event.event === 'step' && event.nodeId === undefined && steps.length === 1;
    if (!isRepeated) showEvent(event);
    if (event.event === 'end') {
      showEnd(event.invocation);
      return event.invocation;
    }
  }
  throw new KnownError(`The events of ${id} ended before the invocation`);
}

function showEvent(event: InvocationEvent): void {
  switch (event.event) {
    case 'status':
      return say(`  ${PAINT[event.status](event.status)}`);
    case 'step':
      return say(
        colour.dim(`  step ${event.index + 1}${event.nodeId ? `, node ${event.nodeId}` : ''}: ${event.status}`),
      );
    case 'progress':
      return say(colour.dim(`  ${Math.round(event.value * 100)} % ${escapeControls(event.message ?? '')}`));
    case 'log':
      return say(`  ${colour.dim('│')} ${escapeControls(event.line)}`);
    case 'output':
      return say(`  ${colour.dim('→')} ${escapeControls(JSON.stringify(event.chunk))}`);
    case 'end':
      return;
  }
}

function showEnd({ status, result, error, observation }: Invocation): void {
  if (status === 'succeeded')
    print(`${colour.bold('Result:')} ${escapeControls(typeof result === 'string' ? result : JSON.stringify(result))}`);
  else if (error) say(`${PAINT[status](error.type)}: ${escapeControls(error.message)}`);
  if (observation !== null) print(escapeControls(observation));
}

/** Shows why a submission was refused: each problem at its position in the text, then the Observation for the model. */
export function showRefusal(text: string, { title, detail, code, errors = [], observation }: Refusal): void {
  say(colour.red(`Refused: ${title}`));
  if (errors.length === 0 && detail) say(`  ${escapeControls(detail)}`);
  for (const { line, column, ...problem } of errors) {
    const hasPosition = line !== undefined && column !== undefined;
    say(
      hasPosition
        ? renderDiagnostic(text, { kind: code, ...problem, line, column }, { color: isColourful })
        : `  ${escapeControls(problem.message)}`,
    );
  }
  if (observation) print(escapeControls(observation));
}
