import { renderDiagnostic } from '@errand/protocol';
import type { Refusal } from './client/client-errors.js';
import { colour, escapeControls, isColourful, print, say } from './terminal.js';

/** What a person can do about a refusal, by its code. */
const FIXES: Readonly<Record<string, string>> = {
  unauthorized: 'give the API key by ERRAND_API_KEY, by a profile or by --key',
  not_found: '`./errand list` lists the invocations that this key may read',
};

/**
 * Shows why Errand refused a request: each problem, with its position in `text` if that was submitted, then the Observation for the model.
 */
export function showRefusal({ title, detail, code, errors = [], observation }: Refusal, text?: string): void {
  say(colour.red(`Refused: ${escapeControls(title)}`));
  if (detail && !(text !== undefined && errors.length > 0)) say(`  ${escapeControls(detail)}`);
  for (const { line, column, path, ...problem } of errors) {
    const hasPosition = text !== undefined && line !== undefined && column !== undefined;
    if (hasPosition)
      say(renderDiagnostic(text, { kind: escapeControls(code), ...problem, line, column }, { color: isColourful }));
    else if (problem.message !== detail)
      say(`  ${escapeControls(path ? `${path}: ${problem.message}` : problem.message)}`);
  }
  const fix = FIXES[code];
  if (fix) say(`To fix it: ${fix}`);
  if (observation) print(escapeControls(observation));
}
