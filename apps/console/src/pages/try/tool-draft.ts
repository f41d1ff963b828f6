/** What a person typed to try a tool. A logout forgets the names with this beginning. */
const BEGIN = 'errand-try-';
const MOST_CHARACTERS = 500_000;

export function readToolDraft(toolId: string): string | undefined {
  return localStorage.getItem(BEGIN + toolId) ?? undefined;
}

/** Keeps the arguments. A browser without room keeps them only on the page. */
export function keepToolDraft(toolId: string, text: string): void {
  if (text.length > MOST_CHARACTERS) return;
  try {
    localStorage.setItem(BEGIN + toolId, text);
  } catch {
    // The page still has the text.
  }
}

export function dropToolDraft(toolId: string): void {
  localStorage.removeItem(BEGIN + toolId);
}

/** The body of a submission, with the JSON of the arguments as it was typed. */
export function submissionOf(toolId: string, args: string): string {
  return `{"toolId": ${JSON.stringify(toolId)}, "arguments": ${args}}`;
}
