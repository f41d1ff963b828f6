import { ToolError, type Json, type ToolInterface } from '@errand/contracts';
import { validateOutput } from './validate-output.js';

/** @throws ToolError OutputError, naming every problem, for a result that is not what the tool declares */
export function requireOutput(tool: ToolInterface, value: Json): void {
  const problems = validateOutput(tool, value);
  if (problems.length === 0) return;
  const said = problems.map((problem) => problem.message).join('; ');
  throw new ToolError('OutputError', `The result of ${tool.toolId} is not what it declares: ${said}`, { problems });
}
