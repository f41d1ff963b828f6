/** Settings of the operator. A script knows three names of its environment, which begin alike. */
const SETTING = /\bERRAND_(?!(?:OUT|IN|INVOCATION_ID)\b)[A-Z0-9_]+\b/g;
const SENTENCE_END = /(?<=[.!?])\s+/;

/**
 * An error message for a model, which cannot change a setting: a sentence that names one is left out. Where it is the only
 * sentence, the name alone is.
 */
export function withoutSettings(message: string): string {
  if (!message.includes('ERRAND_')) return message;
  const isFree = (sentence: string) => sentence.search(SETTING) === -1;
  const kept = message.split(SENTENCE_END).filter(isFree).join(' ');
  if (isFree(message)) return message;
  return kept.trim() === '' ? message.replace(SETTING, 'a setting of the operator') : kept;
}
