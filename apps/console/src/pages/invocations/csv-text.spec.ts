import type { InvocationRow } from '@errand/contracts';
import { csvOf } from './csv-text.js';

const ROW: InvocationRow = {
  id: 'inv_1',
  status: 'failed',
  createdAt: '2026-11-01T10:00:00.000Z',
  startedAt: null,
  finishedAt: null,
  agent: '=HYPERLINK("http://evil")',
  session: '+1',
  toolIds: ['kb:import'],
  steps: { total: 1, done: 0 },
  attempts: 1,
  progress: 0.5,
  errorType: '-x',
  errorMessage: 'a,\n"b"',
  waitingFor: '@SUM(A1)',
  retryOf: '\t=1',
};

describe('The export as CSV', () => {
  it('A cell that a spreadsheet would run has an apostrophe before it', () => {
    const [, line = ''] = csvOf([ROW]).split(/\r\n(?=inv_)/);
    expect(line).toBe(
      `inv_1,failed,kb:import,"'=HYPERLINK(""http://evil"")",'+1,2026-11-01T10:00:00.000Z,,,0,1,1,0.5,'-x,"a,\n""b""",'@SUM(A1),'\t=1\r\n`,
    );
    expect(csvOf([{ ...ROW, agent: '\r=1' }])).toContain(`"'\r=1"`);
  });

  it('The first line has the names of the columns', () => {
    expect(csvOf([])).toBe(
      'id,status,tools,agent,session,createdAt,startedAt,finishedAt,stepsDone,steps,attempts,progress,errorType,errorMessage,waitingFor,retryOf\r\n',
    );
  });
});
