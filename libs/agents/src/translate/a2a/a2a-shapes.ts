import type { Json, JsonObject } from '@errand/contracts';

/*
 * The objects of A2A 1.0 in their JSON form (ProtoJSON), as far as Errand writes them. Times are ISO 8601. The SDK reads the same form with
 * `fromJSON`, and messages of push configurations are sent as they are.
 */

export type A2aState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED';

export interface A2aPart {
  text?: string;
  data?: Json;
  url?: string;
  filename?: string;
  mediaType?: string;
}

export interface A2aMessage {
  messageId: string;
  contextId: string;
  taskId: string;
  role: 'ROLE_USER' | 'ROLE_AGENT';
  parts: A2aPart[];
  metadata?: JsonObject;
}

export interface A2aStatus {
  state: A2aState;
  message?: A2aMessage;
  timestamp: string;
}

export interface A2aArtifact {
  artifactId: string;
  name: string;
  parts: A2aPart[];
}

export interface A2aTask {
  id: string;
  contextId: string;
  status: A2aStatus;
  artifacts: A2aArtifact[];
  history: A2aMessage[];
}

export interface A2aStatusUpdate {
  statusUpdate: { taskId: string; contextId: string; status: A2aStatus };
}

export interface A2aArtifactUpdate {
  artifactUpdate: {
    taskId: string;
    contextId: string;
    artifact: A2aArtifact;
    /** The parts follow those that were sent before. Otherwise they replace them. */
    append: boolean;
    lastChunk: boolean;
  };
}

/** A `StreamResponse`: what streams and push notifications are made of. */
export type A2aUpdate = { task: A2aTask } | A2aStatusUpdate | A2aArtifactUpdate;
