import { AgentsController } from './agents.controller.js';
import { BatchesController } from './batches.controller.js';
import { ControlController } from './control.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DocsController } from './docs.controller.js';
import { HealthController } from './health.controller.js';
import { InvocationsController } from './invocations.controller.js';
import { ResultsController } from './results.controller.js';
import { McpController } from '../mcp/mcp.controller.js';
import { MessagesController } from '../messages/messages.controller.js';
import { SessionsController } from '../sessions/sessions.controller.js';
import { ToolsController } from './tools.controller.js';

/** The controllers with all routes of the API. A test compares them with the OpenAPI document. */
export const CONTROLLERS = [
  BatchesController,
  InvocationsController,
  ResultsController,
  ControlController,
  MessagesController,
  SessionsController,
  McpController,
  DeliveriesController,
  ToolsController,
  AgentsController,
  HealthController,
  DocsController,
] as const;
