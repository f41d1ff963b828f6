/** The label of script-runners and tools without a label of their own. */
export const DEFAULT_LABEL = 'default';

const LABEL = /^[a-z0-9-]{1,32}$/;

/**
 * The labels that a script-runner offers, each once.
 * @throws Error that names the first invalid label and the rule for labels
 */
export function parseLabels(texts: readonly string[]): string[] {
  if (texts.length === 0) throw new Error(`must name a label, such as ${DEFAULT_LABEL}`);
  for (const text of texts) {
    if (LABEL.test(text)) continue;
    const small = text.toLowerCase().replaceAll('_', '-');
    const hint = LABEL.test(small) ? `, did you mean '${small}'?` : '';
    throw new Error(`'${text}' is no label: lower-case letters, digits and '-', 32 characters at most${hint}`);
  }
  return [...new Set(texts)];
}
