import { ArtifactsController } from './results.controller.js';
import { BatchController } from './invocations.controller.js';
import { ControlController } from './control.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DocsController } from './docs.controller.js';
import { HealthController } from './health.controller.js';
import { InvocationsController } from './invocations.controller.js';
import { ListInvocationsController } from './invocations.controller.js';
import { MetricsController } from './health.controller.js';
import { ParseController } from './tools.controller.js';
import { ResultController } from './results.controller.js';
import { ToolGraphController } from './tools.controller.js';
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
