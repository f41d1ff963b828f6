import type { JsonSchema } from '@errand/contracts';
import type { Signature } from './script-analysis.js';
import { betweenCommas, type SourceNode } from './source-node.js';

const WRITES = /(?:^|\.)(?:dumps?|stringify)$/;

/**
 * What the function says of itself whose result a script prints as JSON: `print(json.dumps(main(**data)))`, also by way of a variable.
 * Its type is that of the output only where nothing else is printed.
 */
export function printedFunction(
  root: SourceNode,
  functions: ReadonlyMap<string, Signature>,
): { description: string; output?: JsonSchema } | undefined {
  const variables = variablesOf(root);
  const printed = [...root.below('CallExpression')]
    .filter((call) => WRITES.test(call.children()[0]!.text))
    .map((call) => {
      const value = betweenCommas(call.child('ArgList'))[0]?.[0];
      return functions.get(calledBy(variables.get(value?.text ?? '') ?? value) ?? '');
    });
  const [signature, ...others] = new Set(printed.filter((each) => each !== undefined));
  if (!signature || others.length > 0) return undefined;
  const { description, output } = signature;
  return { description, ...(output && !printed.includes(undefined) && { output }) };
}

/** What each variable was given first. */
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
  const name = value.children()[0]!.text;
  return name === 'asyncio.run' ? calledBy(betweenCommas(value.child('ArgList'))[0]?.[0]) : name;
}
