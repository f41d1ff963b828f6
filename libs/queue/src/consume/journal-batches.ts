import type { Json, JsonObject, NodeState } from '@errand/contracts';

/** A field of the journal and its value. */
export type JournalField = readonly [field: string, value: unknown];

/** The beginning of fields that hold many outcomes each. No field of a step or node begins so. */
const BATCH = 'batch:';

/** So many outcomes share a field. Fewer ones are written as fast in fields of their own, which people can read. */
const LEAST = 50;

/** What many outcomes have in common: nodes of one type that began and ended in the same millisecond. */
type Common = Pick<NodeState, 'type' | 'status' | 'attempts' | 'startedAt' | 'finishedAt'>;

/** Outcomes as columns: their JSON is less than a third of that of whole states. */
interface Group extends Common {
  keys: string[];
  /** Null for inputs that are not stored. */
  inputs: (JsonObject | null)[];
  results: Json[];
}

interface Batch {
  /** The field of an outcome is this prefix and its key. */
  prefix: string;
  groups: Group[];
}

/**
 * The fields of the outcomes of one write: `prefix` and the key of the node → its state. Many outcomes share one field, because Redis takes
 * one value faster than thousands. An outcome in a batch is final. It replaces an earlier wait of its node, which has a field of its own.
 */
export function inBatches(prefix: string, outcomes: readonly NodeState[]): readonly JournalField[] {
  const [first] = outcomes;
  const isBatch = first !== undefined && outcomes.length >= LEAST;
  const alone = isBatch ? outcomes.filter((outcome) => !fitsBatch(outcome)) : outcomes;
  const fields = alone.map((outcome): JournalField => [prefix + outcome.nodeId, outcome]);
  if (!isBatch) return fields;
  const batch: Batch = { prefix, groups: grouped(outcomes) };
  // Each node ends once, so that its key makes that of the batch unique.
  return [[`${BATCH}${prefix}${first.nodeId}`, batch], ...fields];
}

/** Whether the state has nothing but what a batch keeps. */
function fitsBatch({ result, error, waiting }: NodeState): boolean {
  return result !== undefined && error === undefined && waiting === undefined;
}

function grouped(outcomes: readonly NodeState[]): Group[] {
  const groups: Group[] = [];
  let last: Group | undefined;
  for (const outcome of outcomes) {
    if (!fitsBatch(outcome)) continue;
    if (!last || !belongsTo(last, outcome)) groups.push((last = groupFor(outcome)));
    last.keys.push(outcome.nodeId);
    last.inputs.push(outcome.inputs ?? null);
    last.results.push(outcome.result ?? null);
  }
  return groups;
}

function groupFor({ type, status, attempts, startedAt, finishedAt }: NodeState): Group {
  const common = { type, status, ...(attempts !== undefined && { attempts }), startedAt, finishedAt };
  return { ...common, keys: [], inputs: [], results: [] };
}

function belongsTo(group: Group, outcome: NodeState): boolean {
  return (
    group.type === outcome.type &&
    group.status === outcome.status &&
    group.attempts === outcome.attempts &&
    group.startedAt === outcome.startedAt &&
    group.finishedAt === outcome.finishedAt
  );
}

/** The fields of a journal with each outcome of its batches as a field: field → JSON. */
export function withoutBatches(journal: Readonly<Record<string, string>>): Map<string, string> {
  const batches: string[] = [];
  const fields = new Map<string, string>();
  for (const [field, text] of Object.entries(journal))
    if (field.startsWith(BATCH)) batches.push(text);
    else fields.set(field, text);
  for (const [field, value] of batches.flatMap(fieldsOf)) fields.set(field, JSON.stringify(value));
  return fields;
}

/** The fields in a batch. An earlier version stored a batch as its fields. */
function fieldsOf(text: string): JournalField[] {
  const batch = JSON.parse(text) as Batch | JournalField[];
  if (Array.isArray(batch)) return batch;
  return batch.groups.flatMap(outcomesOf).map((state) => [batch.prefix + state.nodeId, state]);
}

function outcomesOf({ keys, inputs, results, ...common }: Group): NodeState[] {
  return keys.map((nodeId, n) => {
    const given = inputs[n];
    return { nodeId, ...common, ...(given && { inputs: given }), result: results[n] ?? null };
  });
}
