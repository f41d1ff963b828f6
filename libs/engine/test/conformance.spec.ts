import type { StoredWorkflow } from '@errand/contracts';
import { checkWorkflow, MemoryJournal, runWorkflow, type RunOptions } from '../src/index.js';
import { nodes } from '../../../plugins/core/nodes/index.js';
import { BROKEN_CASES, RUNNING_CASES, type CaseRun, type RunningCase } from './conformance-cases.js';
import { options, statuses } from './workflow-kit.js';

/**
 * Runs the stored workflows in ComfyTavern's format from files: valid ones must end as expected, broken ones must not
 * load.
 */

type Case = { workflow: StoredWorkflow & { id: string }; others?: (StoredWorkflow & { id: string })[] };

function optionsFor({ workflow, others = [] }: Case, more: Partial<RunOptions> = {}) {
  return options(nodes, { workflows: new Map([workflow, ...others].map((each) => [each.id, each])), ...more });
}

async function expectEnd(tested: RunningCase, run: CaseRun, given: ReturnType<typeof optionsFor>): Promise<void> {
  const ending = runWorkflow(tested.workflow, run.inputs, given);
  if (run.failure) {
    const { type, nodeId, words } = run.failure;
    const thrown: Error = await ending.then(
      () => Promise.reject(new Error('it succeeded')),
      (error: Error) => error,
    );
    expect(thrown).toMatchObject({ type, details: { nodeId } });
    for (const word of words) expect(thrown.message).toContain(word);
  } else {
    const outputs = await ending;
    expect(outputs).toMatchObject(run.outputs ?? {});
    for (const word of run.words ?? []) expect(JSON.stringify(outputs)).toContain(word);
  }
}

describe.each(RUNNING_CASES)('$name: $about', (tested) => {
  it('The workflow is valid', () => {
    for (const workflow of [tested.workflow, ...(tested.others ?? [])])
      expect(checkWorkflow(workflow, optionsFor(tested))).toEqual([]);
  });

  it.each(tested.runs)('The run with $inputs ends as expected', async (run) => {
    const given = optionsFor(tested);
    await expectEnd(tested, run, given);
    expect(statuses(given.events)).toMatchObject(run.statuses ?? {});
  });

  it.each(tested.runs)('The run with $inputs ends the same with one permit and from its journal', async (run) => {
    const journal = new MemoryJournal();
    await expectEnd(tested, run, optionsFor(tested, { journal, concurrency: 1 }));
    const resumed = optionsFor(tested, { journal });
    await expectEnd(tested, run, resumed);
    expect(resumed.events.filter((event) => event.event === 'node' && event.state.status === 'running')).toEqual([]);
  });
});

describe.each(BROKEN_CASES)('$name: $about', (tested) => {
  const problems = checkWorkflow(tested.workflow, optionsFor(tested));

  it('The check reports every problem of the workflow', () => {
    expect(problems.map(({ path }) => path)).toEqual(tested.problems.map(({ path }) => path));
  });

  it.each(tested.problems.map((expected, index) => ({ ...expected, index })))(
    'The problem at $path has the expected message',
    ({ words, suggestion, index }) => {
      for (const word of words) expect(problems[index]!.message).toContain(word);
      expect(problems[index]!.suggestion).toBe(suggestion);
    },
  );

  it('The broken workflow does not run', async () => {
    const run = optionsFor(tested);
    await expect(runWorkflow(tested.workflow, {}, run)).rejects.toThrow();
    const begun = run.events.filter((event) => event.event === 'node' && event.state.startedAt !== null);
    expect(begun).toEqual([]);
  });
});
