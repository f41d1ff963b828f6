import { shownTenant } from '../../api/session.js';

const MOST_CHARACTERS = 500_000;

/** The arguments that a person typed to try a tool of the tenant that is shown. */
export function readToolDraft(toolId: string): string | undefined {
  return localStorage.getItem(nameOf(toolId)) ?? undefined;
}

/** Keeps the arguments. A browser without room keeps them only on the page. */
export function keepToolDraft(toolId: string, text: string): void {
  if (text.length > MOST_CHARACTERS) return;
  try {
    localStorage.setItem(nameOf(toolId), text);
  } catch {
    // The page still has the text.
  }
}

export function dropToolDraft(toolId: string): void {
  localStorage.removeItem(nameOf(toolId));
}

/** A logout deletes what has such a name. */
function nameOf(toolId: string): string {
  return `errand-try-${shownTenant()}:${toolId}`;
}

/** The body of a submission, with the JSON of the arguments as it was typed. */
export function submissionOf(toolId: string, args: string): string {
  return `{"toolId": ${JSON.stringify(toolId)}, "arguments": ${args}}`;
}
