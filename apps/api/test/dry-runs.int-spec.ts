import { setMaxListeners } from 'node:events';
import { writeAction } from '@errand/protocol';
import { largePatterns } from '../../../libs/registry/test/schema-attacks.js';
import { DryRuns } from '../src/tools/dry-runs.js';
import { ProblemError } from '../src/http/problem-error.js';

/** Each schema takes a large part of a second to read. All of them take far longer than a dry run may. */
const SLOW = Array.from({ length: 100 }, (_, index) => ({
  toolId: `slow:tool${index}`,
  parameters: largePatterns(`seed${index}x`),
}));
const FAST = { toolId: 'fast:tool', parameters: { properties: { n: { type: 'integer' } } } };

const slowRun = {
  text: writeAction(SLOW.map(({ toolId }) => ({ toolId, arguments: { v: 1 } }))),
  tools: [FAST, ...SLOW],
};
const fastRun = { text: writeAction([{ toolId: FAST.toolId, arguments: { n: 5 } }]), tools: [FAST] };
const never = AbortSignal.any([]);

const refusalOf = async (run: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ProblemError ? { code: error.code, detail: error.detail, ...error.more } : error;
};

describe('Dry runs', () => {
  let runs: DryRuns;
  beforeEach(() => {
    runs = new DryRuns();
  });
  afterEach(() => runs.close());

  it('A dry run validates the calls against the schemas of its tools', async () => {
    await expect(runs.run(fastRun, 'a', never)).resolves.toMatchObject({
      calls: [{ toolId: 'fast:tool', arguments: { n: 5 } }],
      errors: [],
    });
  });

  // A fast machine reads so many schemas in the time that their patterns exceed the memory first.
  it('A dry run that takes too long or too much memory is stopped, and the error names the tool', async () => {
    expect(await refusalOf(runs.run(slowRun, 'a', never))).toEqual({
      code: 'invalid_request',
      detail: expect.stringMatching(
        /^The dry run (?:takes longer than 2000 ms|needs more than 128 MB of memory), so it was stopped\. The schema of 'slow:tool\d+' or its arguments cost too much: simplify the schema, or send less$/,
      ),
      status: 422,
    });
  });

  it('A tenant with many pending dry runs is refused, and another tenant is not', async () => {
    const [stop, stopFirst] = [new AbortController(), new AbortController()];
    setMaxListeners(0, stop.signal);
    // The first ones run, and would run for seconds.
    const slow = Array.from({ length: 100 }, (_, index) =>
      refusalOf(runs.run(slowRun, 'greedy', index < 2 ? stopFirst.signal : stop.signal)),
    );
    expect(await refusalOf(runs.run(fastRun, 'greedy', never))).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
    });
    const modest = runs.run(fastRun, 'modest', never);
    stopFirst.abort(new Error('the first callers have left'));
    await expect(modest).resolves.toMatchObject({ errors: [] });
    stop.abort(new Error('the caller has left'));
    expect(await Promise.all(slow)).toContainEqual(new Error('the caller has left'));
    await expect(runs.run(fastRun, 'greedy', never)).resolves.toMatchObject({ errors: [] });
  });

  it('The number of pending dry runs of all tenants is limited', async () => {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const slow = Array.from({ length: 400 }, (_, index) => refusalOf(runs.run(slowRun, `${index % 8}`, stop.signal)));
    expect(await refusalOf(runs.run(fastRun, 'other', never))).toMatchObject({ code: 'unavailable' });
    stop.abort(new Error('the callers have left'));
    await Promise.all(slow);
  });

  it('A dry run in progress fails at shutdown with an error that says so', async () => {
    const pending = [slowRun, slowRun, slowRun].map((run) => refusalOf(runs.run(run, 'a', never)));
    await runs.close();
    const shuttingDown = { code: 'unavailable', detail: 'The API is shutting down; send the request again' };
    expect(await Promise.all(pending)).toEqual([shuttingDown, shuttingDown, shuttingDown]);
  });
});
