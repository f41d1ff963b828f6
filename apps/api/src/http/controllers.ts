import { ArtifactsController } from './artifacts.controller.js';
import { BatchController } from './batch.controller.js';
import { ControlController } from './control.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DocsController } from './docs.controller.js';
import { HealthController } from './health.controller.js';
import { InvocationsController } from './invocations.controller.js';
import { ListInvocationsController } from './list-invocations.controller.js';
import { MetricsController } from './metrics.controller.js';
import { ParseController } from './parse.controller.js';
import { ResultController } from './result.controller.js';
import { ToolGraphController } from './tool-graph.controller.js';
import { ToolsController } from './tools.controller.js';

/** Every route of the API is one of theirs; the OpenAPI document is held against them. */
export const CONTROLLERS = [
  InvocationsController,
  ListInvocationsController,
  ResultController,
  ArtifactsController,
  BatchController,
  ControlController,
  DeliveriesController,
  ParseController,
  ToolsController,
  ToolGraphController,
  HealthController,
  MetricsController,
  DocsController,
] as const;
