import {
  didYouMean,
  isObject,
  own,
  type Json,
  type JsonSchema,
  type NodeType,
  type StoredSlot,
} from '@errand/contracts';

/** Types that are not listed (WILDCARD, CONVERTIBLE_ANY, BINARY, …) allow any value. */
const TYPES: Readonly<Record<string, string>> = {
  STRING: 'string',
  INTEGER: 'integer',
  FLOAT: 'number',
  BOOLEAN: 'boolean',
  OBJECT: 'object',
  ARRAY: 'array',
};
const NUMERIC = ['INTEGER', 'FLOAT'];

const SLOT_TYPES = [...Object.keys(TYPES), 'WILDCARD', 'CONVERTIBLE_ANY', 'BINARY'];

/** The intended slot type of a misspelled one. An unknown type allows any value. */
export function meantType(dataFlowType: string): string | undefined {
  return SLOT_TYPES.includes(dataFlowType) ? undefined : didYouMean(dataFlowType, SLOT_TYPES);
}

/** Named slots as the parameters of a tool. */
export function parametersOfSlots(slots: Readonly<Record<string, StoredSlot>>): JsonSchema {
  const named = Object.entries(slots);
  const required = named.filter(([, slot]) => slot.required === true).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(([name, slot]) => [name, schemaOfSlot(slot)])),
    ...(required.length > 0 && { required }),
  };
}

/**
 * The output schema of a tool with these slots: the value of a single slot, else all values by name. A slot without a
 * value is null.
 */
export function outputOfSlots(slots: Readonly<Record<string, StoredSlot>>): JsonSchema {
  const schemas = Object.entries(slots).map(([name, slot]) => [name, nullable(schemaOfSlot(slot))] as const);
  const [only] = schemas;
  return only && schemas.length === 1 ? only[1] : { type: 'object', properties: Object.fromEntries(schemas) };
}

/** The parameters of the tool of a node type: its inputs and settings, and any other names if it takes them. */
export function parametersOfNode({ inputs, otherInputs, config }: NodeType): JsonSchema {
  const { properties, ...rest } = parametersOfSlots(inputs);
  return {
    ...rest,
    properties: { ...(isObject(properties) && properties), ...config },
    ...(otherInputs && { additionalProperties: schemaOfSlot(otherInputs) }),
  };
}

function schemaOfSlot(slot: StoredSlot): JsonSchema {
  const { config = {}, dataFlowType, matchCategories } = slot;
  const description = slot.customDescription ?? slot.description;
  const min = slot.min ?? config.min;
  const max = slot.max ?? config.max;
  const type = own(TYPES, dataFlowType);
  const choices = matchCategories?.includes('ComboOption') ? choicesOf(slot) : [];
  const single: JsonSchema = {
    ...(type !== undefined && { type }),
    ...(choices.length > 0 && { enum: choices }),
    ...(NUMERIC.includes(dataFlowType) && typeof min === 'number' && { minimum: min }),
    ...(NUMERIC.includes(dataFlowType) && typeof max === 'number' && { maximum: max }),
  };
  return {
    ...(slot.multi ? { type: 'array', items: single } : single),
    ...(description !== undefined && { description }),
    // Editors write null for a missing default. For a type that allows any value, null is a value.
    ...(config.default !== undefined && (config.default !== null || type === undefined) && { default: config.default }),
  };
}

/** The distinct values that an editor offers. A value with a label (`{value, label}`) counts as its value. */
function choicesOf({ config = {}, dataFlowType }: StoredSlot): Json[] {
  const values = (config.suggestions ?? []).map((suggestion) =>
    dataFlowType !== 'OBJECT' && isObject(suggestion) ? (own(suggestion, 'value') ?? suggestion) : suggestion,
  );
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function nullable(schema: JsonSchema): JsonSchema {
  const { default: _default, enum: _enum, ...rest } = schema;
  return typeof rest.type === 'string' ? { ...rest, type: [rest.type, 'null'] } : rest;
}
