import type { JsonSchema } from '@errand/contracts';
import type { Signature } from './script-analysis.js';
import { betweenCommas, type SourceNode } from './source-node.js';

const WRITES = /(?:^|\.)(?:dumps?|stringify)$/;

/**
 * The description and output type of the function whose result a script prints as JSON:
 * `print(json.dumps(main(**data)))`, also through a variable. The type is that of the output only if the script prints
 * nothing else.
 */
export function printedFunction(
  root: SourceNode,
  functions: ReadonlyMap<string, Signature>,
): { description: string; output?: JsonSchema } | undefined {
  const variables = variablesOf(root);
  const printed = [...root.below('CallExpression')]
    .filter((call) => WRITES.test(call.firstText))
    .map((call) => {
      const value = betweenCommas(call.child('ArgList'))[0]?.[0];
      return functions.get(calledBy(variables.get(value?.text ?? '') ?? value) ?? '');
    });
  const [signature, ...others] = new Set(printed.filter((each) => each !== undefined));
  if (!signature || others.length > 0) return undefined;
  const { description, output } = signature;
  return { description, ...(output && !printed.includes(undefined) && { output }) };
}

/** The first value of each variable. */
function variablesOf(root: SourceNode): Map<string, SourceNode> {
  const found = new Map<string, SourceNode>();
  for (const assignment of root.below('AssignStatement', 'VariableDeclaration')) {
    const name = assignment.child('VariableName', 'VariableDefinition')?.text;
    const value = assignment.child('AssignOp', 'Equals')?.next();
    if (name !== undefined && value && !found.has(name)) found.set(name, value);
  }
  return found;
}

/** The name of the function in `main(…)`, `await main(…)`, `asyncio.run(main(…))`. */
function calledBy(value: SourceNode | undefined): string | undefined {
  if (value?.kind === 'AwaitExpression') return calledBy(value.children().at(-1));
  if (value?.kind !== 'CallExpression') return undefined;
  const name = value.firstText;
  return name === 'asyncio.run' ? calledBy(betweenCommas(value.child('ArgList'))[0]?.[0]) : name;
}
