import type { Findings } from '../parse-result.js';
import { commandNumber, compareNumbers } from './keys.js';
import type { Dialect } from './dialects.js';
import type { Field } from './read-block.js';

/** A command field with its step number; `''` for a single call. */
interface StepField {
  number: string;
  field: Field;
}

/** The fields of a block, separated into ordered commands and parameters. */
interface BlockSteps {
  steps: StepField[];
  parameters: Field[];
  chained: boolean;
  /** An unnumbered command beside numbered ones. All unnumbered keys belong to its step. */
  unnumbered?: StepField;
}

/** Returns undefined if no tool can be determined; `findings` then has the reason. */
export function readSteps(
  fields: readonly Field[],
  dialect: Dialect,
  blockAt: number,
  findings: Findings,
): BlockSteps | undefined {
  const steps: StepField[] = [];
  const parameters: Field[] = [];
  for (const field of fields) {
    const number = commandNumber(field.key, dialect.command);
    if (number === undefined) parameters.push(field);
    else steps.push({ number, field });
  }
  const empty = steps.find(({ field }) => field.value.trim() === '');
  if (empty || steps.length === 0) {
    findings.error(
      'missing_command',
      empty?.field.at ?? blockAt,
      `The block names no tool; write ${dialect.command}:${dialect.open}the tool's id${dialect.close}`,
    );
    return undefined;
  }
  const chained = steps.some(({ number }) => number !== '');
  const found = chained ? readChain(steps, dialect, findings) : readSingle(steps, dialect, findings);
  return found && { ...found, parameters, chained };
}

function readSingle(
  [first, ...more]: StepField[],
  dialect: Dialect,
  findings: Findings,
): Pick<BlockSteps, 'steps'> | undefined {
  const other = more.find(({ field }) => field.value.trim() !== first?.field.value.trim());
  if (other) {
    const message = `The block has two different '${dialect.command}' fields; number them to call several tools`;
    findings.error('malformed_tam', other.field.at, message);
    return undefined;
  }
  if (more[0]) findings.warn(more[0].field.at, `'${dialect.command}' is given twice with the same value`);
  return first && { steps: [first] };
}

function readChain(
  steps: StepField[],
  dialect: Dialect,
  findings: Findings,
): Pick<BlockSteps, 'steps' | 'unnumbered'> | undefined {
  const plain = steps.filter(({ number }) => number === '');
  for (const step of plain) step.number = '1';
  const ordered = steps.toSorted((a, b) => compareNumbers(a.number, b.number));
  const second = ordered.find(({ number }, index) => ordered[index - 1]?.number === number);
  if (second) {
    const message =
      plain.length > 0 && second.number === '1'
        ? `An unnumbered '${dialect.command}' means step 1, which is taken; number every command`
        : `Step ${second.number.slice(0, 20)} names a tool twice`;
    findings.error('malformed_tam', second.field.at, message);
    return undefined;
  }
  return { steps: ordered, ...(plain[0] && { unnumbered: plain[0] }) };
}
