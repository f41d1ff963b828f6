import type { Json } from './json.js';

/** ComfyTavern's stored workflow. Errand keeps and ignores fields that it does not know (positions, colours). */
export interface StoredWorkflow {
  id?: string;
  name?: string;
  description?: string;
  nodes: StoredNode[];
  edges: StoredEdge[];
  interfaceInputs?: Record<string, StoredSlot>;
  interfaceOutputs?: Record<string, StoredSlot>;
  [extra: string]: unknown;
}

export interface StoredNode {
  id: string;
  /** `namespace:Name` */
  type: string;
  inputValues?: Record<string, Json>;
  configValues?: Record<string, Json>;
  /** For a multi-input: its edge ids in order. */
  inputConnectionOrders?: Record<string, string[]>;
  bypassed?: boolean;
  muted?: boolean;
  timeoutMs?: number;
  retry?: { attempts: number; backoff?: { type?: 'fixed' | 'exponential'; delayMs?: number } };
  /** After a failure. `continue`: the outputs are null. `default`: they are `defaultOutputs`, or else the defaults of the slots. */
  onError?: 'fail' | 'continue' | 'default';
  defaultOutputs?: Record<string, Json>;
  [extra: string]: unknown;
}

export interface StoredEdge {
  id?: string;
  source: string;
  sourceHandle: string;
  target: string;
  targetHandle: string;
}

/** One input or output of a workflow's interface or of a node type. */
export interface StoredSlot {
  dataFlowType: string;
  required?: boolean;
  displayName?: string;
  description?: string;
  customDescription?: string;
  matchCategories?: string[];
  multi?: boolean;
  isStream?: boolean;
  /** For an input of a node type: the node runs even if the source of this input failed or was not taken. */
  acceptsFailure?: boolean;
  config?: { default?: Json; suggestions?: Json[]; min?: number; max?: number; [extra: string]: Json | undefined };
  min?: number;
  max?: number;
  [extra: string]: unknown;
}
