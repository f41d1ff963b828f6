import { ToolError } from '@errand/contracts';
import { runOnce } from './run-script-once.js';

/** The mark of one job. */
function journal() {
  const marks = new Set<string>();
  return {
    marks,
    beginOnce: async (operation: string) => !marks.has(operation) && Boolean(marks.add(operation)),
    clearOnce: async (operation: string) => void marks.delete(operation),
  };
}

const LOST = { type: 'LostError', message: expect.stringContaining('may take effect only once') };
const begun = () => true;
const failing = (error: Error) => async () => {
  throw error;
};

describe('A script that may take effect only once', () => {
  it('An attempt after a success does not begin: what followed could not be stored', async () => {
    const job = journal();
    let runs = 0;
    expect(await runOnce(job, 'shop:pay', async () => ++runs, begun)).toBe(1);
    await expect(runOnce(job, 'shop:pay', async () => ++runs, begun)).rejects.toMatchObject(LOST);
    expect(runs).toBe(1);
  });

  it('A failure of the script itself has a known outcome, so that another attempt may begin', async () => {
    const job = journal();
    const error = new ToolError('ScriptError', 'no');
    await expect(runOnce(job, 'shop:pay', failing(error), begun)).rejects.toBe(error);
    expect(await runOnce(job, 'shop:pay', async () => 1, begun)).toBe(1);
  });

  it('A failure of the platform before the script begins is retried, and one after that is lost', async () => {
    const job = journal();
    const error = new ToolError('ServiceError', 'The Docker engine ended');
    await expect(runOnce(job, 'shop:pay', failing(error), () => false)).rejects.toBe(error);
    expect(job.marks.size).toBe(0);
    await expect(runOnce(job, 'shop:pay', failing(error), begun)).rejects.toMatchObject({
      ...LOST,
      message: expect.stringMatching(/^The Docker engine ended\. It is unknown/),
    });
    expect(job.marks.size).toBe(1);
  });

  it('Another error leaves the mark: another process may have the job', async () => {
    const job = journal();
    const error = new Error('superseded');
    await expect(runOnce(job, 'shop:pay', failing(error), begun)).rejects.toBe(error);
    expect(job.marks.size).toBe(1);
  });
});
