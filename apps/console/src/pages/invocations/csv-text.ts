import type { InvocationRow } from '@errand/contracts';

/** A cell that begins so would run as a formula in a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;

const COLUMNS: readonly [title: string, valueOf: (row: InvocationRow) => string | number | null][] = [
  ['id', (row) => row.id],
  ['status', (row) => row.status],
  ['tools', (row) => row.toolIds.join(' ')],
  ['agent', (row) => row.agent],
  ['session', (row) => row.session],
  ['createdAt', (row) => row.createdAt],
  ['startedAt', (row) => row.startedAt],
  ['finishedAt', (row) => row.finishedAt],
  ['stepsDone', (row) => row.steps.done],
  ['steps', (row) => row.steps.total],
  ['attempts', (row) => row.attempts],
  ['progress', (row) => row.progress],
  ['errorType', (row) => row.errorType],
  ['errorMessage', (row) => row.errorMessage],
  ['waitingFor', (row) => row.waitingFor],
  ['retryOf', (row) => row.retryOf],
];

/** Rows as CSV (RFC 4180), with the names of the columns first. */
export function csvOf(rows: readonly InvocationRow[]): string {
  const lines = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, valueOf]) => valueOf(row)))];
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
