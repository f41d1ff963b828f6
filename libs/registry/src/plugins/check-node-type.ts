import { isObject, type NodeType, type StoredSlot } from '@errand/contracts';
import { schemaOfFiles } from '../files/check-file.js';
import { compileSchema, errorsOf } from '../schema/compile-schema.js';
import { explainErrors, FIELD_WORDS } from '../validate/explain-errors.js';
import { meantType } from '../load/schema-of-slots.js';
import type { SchemaValidator } from '../schema/schema-validator.js';

let slots: SchemaValidator | undefined;

/**
 * Checks a node type of a plugin.
 * @throws Error that names the node type and its problem
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
  const errors = errorsOf(slots, node);
  const [problem] = Array.isArray(errors) ? explainErrors(errors, { ...FIELD_WORDS, whole: 'It' }) : [errors];
  if (problem) throw new Error(`The node type ${name} is not right: ${problem.message}`);
  for (const [slot, { dataFlowType }] of slotsOf(node)) {
    const meant = meantType(dataFlowType);
    if (meant === undefined) continue;
    throw new Error(`The slot '${slot}' of ${name} has the type '${dataFlowType}', did you mean '${meant}'?`);
  }
  if (typeof node.workflowInput === 'string' && !Object.hasOwn(node.inputs, node.workflowInput)) {
    throw new Error(`The node type ${name} has no input '${node.workflowInput}', which its workflowInput names`);
  }
  if (
    typeof node.schemaSetting === 'string' &&
    !(isObject(node.config) && Object.hasOwn(node.config, node.schemaSetting))
  )
    throw new Error(`The node type ${name} has no setting '${node.schemaSetting}', which its schemaSetting names`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a node type needs has been looked at
  return node as unknown as NodeType;
}

function slotsOf(node: object): [name: string, slot: StoredSlot][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of slots has vouched for it
  const { inputs, outputs, otherInputs } = node as NodeType;
  const others: [string, StoredSlot][] = otherInputs ? [['otherInputs', otherInputs]] : [];
  return [...Object.entries(inputs), ...Object.entries(outputs), ...others];
}

/** The validator of slots. Node types have the slots of workflows. */
function slotsValidator(): SchemaValidator {
  const { $defs } = schemaOfFiles('workflow');
  const slot = { $ref: '#/$defs/slot' };
  const properties = {
    inputs: { additionalProperties: slot },
    otherInputs: slot,
    outputs: { additionalProperties: slot },
    config: { type: 'object' },
    workflowInput: { type: 'string' },
    schemaSetting: { type: 'string' },
    effects: { enum: ['none', 'idempotent', 'once'] },
  };
  const validate = compileSchema({ type: 'object', properties, $defs: { slot: $defs.slot } }, 'outputs');
  if (Array.isArray(validate)) throw new Error(`workflow.schema.json: ${validate[0]!.message}`);
  return validate;
}
