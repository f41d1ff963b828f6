import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorType, JsonObject, NodeState, StoredWorkflow } from '@errand/contracts';

/** A stored workflow with its inner workflows, and the expected ends of its runs. */
export interface RunningCase {
  name: string;
  about: string;
  workflow: StoredWorkflow & { id: string };
  others?: (StoredWorkflow & { id: string })[];
  runs: CaseRun[];
}

export interface CaseRun {
  inputs: JsonObject;
  /** By output. Other outputs may have any value. */
  outputs?: JsonObject;
  /** Words that must occur in the outputs if their exact values vary. */
  words?: string[];
  failure?: { type: ErrorType; nodeId: string; words: string[] };
  /** By node key. Other nodes may end in any way. */
  statuses?: Record<string, NodeState['status']>;
}

/** A stored workflow that must not load, and its expected problems: all paths, and words of each message. */
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
