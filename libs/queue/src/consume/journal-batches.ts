import type { Json } from '@errand/contracts';

/** A field of the journal and its value. */
export type JournalField = readonly [field: string, value: unknown];

/** The beginning of fields that hold many outcomes each. No field of a step or node begins so. */
const BATCH = 'batch:';

/** So many outcomes share a field. Fewer ones are written as fast in fields of their own, which people can read. */
const LEAST = 50;

/**
 * Puts the outcomes of one write into one field, if they are many: Redis then takes one value instead of thousands. An outcome in a batch is
 * final. It replaces an earlier wait of its node, which has a field of its own.
 */
export function inBatches(outcomes: readonly JournalField[]): readonly JournalField[] {
  const [first] = outcomes;
  // Each node ends once, so that its name makes that of the batch unique.
  return first && outcomes.length >= LEAST ? [[`${BATCH}${first[0]}`, outcomes]] : outcomes;
}

/** The fields of a journal with each outcome of its batches as a field: field → JSON. */
export function withoutBatches(journal: Readonly<Record<string, string>>): Map<string, string> {
  const batches: string[] = [];
  const fields = new Map<string, string>();
  for (const [field, text] of Object.entries(journal))
    if (field.startsWith(BATCH)) batches.push(text);
    else fields.set(field, text);
  for (const text of batches)
    for (const [field, value] of JSON.parse(text) as [string, Json][]) fields.set(field, JSON.stringify(value));
  return fields;
}
