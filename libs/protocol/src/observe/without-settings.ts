/** Settings of the operator. Scripts know three environment variables with the same beginning. */
const SETTING = /\bERRAND_(?!(?:OUT|IN|INVOCATION_ID)\b)[A-Z0-9_]+\b/g;
const SENTENCE_END = /(?<=[.!?])\s+/;

/**
 * An error message for a model, which cannot change settings. Sentences that name a setting are left out. In an only
 * sentence, the name is replaced.
 */
export function withoutSettings(message: string): string {
  if (!message.includes('ERRAND_')) return message;
  const isFree = (sentence: string) => sentence.search(SETTING) === -1;
  const kept = message.split(SENTENCE_END).filter(isFree).join(' ');
  if (isFree(message)) return message;
  return kept.trim() === '' ? message.replace(SETTING, 'a setting of the operator') : kept;
}
