import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type NodeType } from '@errand/contracts';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compileSchema } from './compile-schema.js';
import { explainErrors, FIELD_WORDS } from './explain-errors.js';

let slots: ValidateFunction | undefined;

/**
 * A node type as a plugin exports it, once it is seen to be one.
 * @throws Error saying which it is and what it lacks
 */
export function checkNodeType(node: unknown, index: number): NodeType {
  const name = isObject(node) && typeof node.type === 'string' ? `'${node.type}'` : `number ${index + 1}`;
  const lacks = (what: string) => new Error(`The node type ${name} has no ${what}`);
  if (!isObject(node) || typeof node.type !== 'string') throw lacks("'type'");
  if (typeof node.description !== 'string') throw lacks("'description'");
  if (!isObject(node.inputs)) throw lacks("'inputs'");
  if (!isObject(node.outputs)) throw lacks("'outputs'");
  if (typeof node.run !== 'function') throw lacks("function 'run'");
  slots ??= slotsValidator();
  if (!slots(node)) {
    const [problem] = explainErrors(slots.errors ?? [], { ...FIELD_WORDS, whole: 'It' });
    throw new Error(`The node type ${name} is not right: ${problem!.message}`);
  }
  if (typeof node.workflowInput === 'string' && !Object.hasOwn(node.inputs, node.workflowInput)) {
    throw new Error(`The node type ${name} has no input '${node.workflowInput}', which its workflowInput names`);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a node type needs has been looked at
  return node as unknown as NodeType;
}

/** Slots of node types are those of workflows. */
function slotsValidator(): ValidateFunction {
  const { $defs } = JSON.parse(readFileSync(join(__dirname, 'schemas/workflow.schema.json'), 'utf8'));
  const slot = { $ref: '#/$defs/slot' };
  const properties = {
    inputs: { additionalProperties: slot },
    outputs: { additionalProperties: slot },
    config: { type: 'object' },
    workflowInput: { type: 'string' },
  };
  const validate = compileSchema({ type: 'object', properties, $defs: { slot: $defs.slot } }, 'outputs');
  if (Array.isArray(validate)) throw new Error(`workflow.schema.json: ${validate[0]!.message}`);
  return validate;
}
