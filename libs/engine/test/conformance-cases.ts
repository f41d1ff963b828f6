import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorType, JsonObject, NodeState, StoredWorkflow } from '@errand/contracts';

/** A stored workflow, with those that it contains, and how runs of it end. */
export interface RunningCase {
  name: string;
  about: string;
  workflow: StoredWorkflow & { id: string };
  others?: (StoredWorkflow & { id: string })[];
  runs: CaseRun[];
}

export interface CaseRun {
  inputs: JsonObject;
  /** By output; outputs that are not named here may be anything. */
  outputs?: JsonObject;
  /** Words that must occur in the outputs, where they cannot be given exactly. */
  words?: string[];
  failure?: { type: ErrorType; nodeId: string; words: string[] };
  /** By node key; nodes that are not named here may end in any way. */
  statuses?: Record<string, NodeState['status']>;
}

/** A stored workflow that must not load, and what must be said about it: all places, and words at each. */
export interface BrokenCase {
  name: string;
  about: string;
  workflow: StoredWorkflow & { id: string };
  others?: (StoredWorkflow & { id: string })[];
  problems: { path: string; words: string[]; suggestion?: string }[];
}

const FOLDER = join(__dirname, 'conformance');

export const RUNNING_CASES = readCases<RunningCase>(FOLDER);
export const BROKEN_CASES = readCases<BrokenCase>(join(FOLDER, 'broken'));

function readCases<T extends { name: string }>(folder: string): T[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the files are part of this test
      const read = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Omit<T, 'name'>;
      return { ...read, name: file.replace(/\.json$/, '') } as T;
    });
}
