import type { Json, JsonObject, NodeContext, NodeRun, NodeType, StoredSlot } from '@errand/contracts';
import { computation, dataLimits, type ComputationLimits } from './computation.js';

interface ValueTypes {
  STRING: string;
  INTEGER: number;
  FLOAT: number;
  BOOLEAN: boolean;
  OBJECT: JsonObject;
  ARRAY: Json[];
}

type ValueOf<S extends StoredSlot> = S['dataFlowType'] extends keyof ValueTypes ? ValueTypes[S['dataFlowType']] : Json;

/** The value of a slot in `run`. Only a required slot or one with a default always has a value. */
type Given<S extends StoredSlot> =
  | (S extends { multi: true } ? ValueOf<S>[] : ValueOf<S>)
  | (S extends { required: true } | { config: { default: Json } } ? never : undefined);

interface TypedNode<I extends Record<string, StoredSlot>> extends Omit<NodeType, 'inputs' | 'run' | 'checks'> {
  inputs: I;
  checks?: { [name in keyof I]?: (value: ValueOf<I[name]>) => void };
  run(inputs: { [name in keyof I]: Given<I[name]> }, context: NodeContext): NodeRun;
}

/** A node type whose `run` gets inputs with the declared types of its slots. */
export function defineNode<const I extends Record<string, StoredSlot>>(node: TypedNode<I>): NodeType {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine checks that the inputs fit the slots
  return node as unknown as NodeType;
}

type Inputs<I extends Record<string, StoredSlot>> = Parameters<TypedNode<I>['run']>[0];

interface TypedComputation<I extends Record<string, StoredSlot>> extends Omit<TypedNode<I>, 'run' | 'effects'> {
  limits?: ComputationLimits | ((inputs: Inputs<I>) => ComputationLimits);
  /** The outputs; they depend on the inputs only. */
  compute: (inputs: Inputs<I>) => JsonObject;
  /** Whether small inputs take a fraction of a millisecond; without it, all small inputs do. */
  isCheap?: (inputs: Inputs<I>) => boolean;
}

/** A node type whose cost grows with its inputs: it computes small inputs in place, others in a thread. */
export function defineComputation<const I extends Record<string, StoredSlot>>({
  limits,
  compute,
  isCheap,
  ...node
}: TypedComputation<I>): NodeType {
  const work = { limits: limits ?? dataLimits(node.type), compute, ...(isCheap && { isCheap }) };
  const run = computation<Inputs<I>>(node.type, work);
  return defineNode<I>({ ...node, effects: 'none', run });
}
