import { A2aController } from '../a2a/a2a.controller.js';
import { AguiController } from '../agui/agui.controller.js';
import { AgentsController } from './agents.controller.js';
import { BatchesController } from './batches.controller.js';
import { BulkController } from '../bulk/bulk.controller.js';
import { ControlController } from './control.controller.js';
import { AllDeliveriesController } from './all-deliveries.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DocsController } from './docs.controller.js';
import { EffectsController } from './effects.controller.js';
import { HealthController } from './health.controller.js';
import { ImpactController } from './impact.controller.js';
import { InvocationsController } from './invocations.controller.js';
import { QueuesController } from './queues.controller.js';
import { ResultsController } from './results.controller.js';
import { LoginController } from '../login/login.controller.js';
import { McpController } from '../mcp/mcp.controller.js';
import { MessagesController } from '../messages/messages.controller.js';
import { SandboxController } from '../sandbox/sandbox.controller.js';
import { SessionsController } from '../sessions/sessions.controller.js';
import { TenantsController } from './tenants.controller.js';
import { ToolsController } from './tools.controller.js';

/** The controllers with all routes of the API. A test compares them with the OpenAPI document. */
export const CONTROLLERS = [
  BatchesController,
  InvocationsController,
  ResultsController,
  ControlController,
  ImpactController,
  BulkController,
  MessagesController,
  SessionsController,
  McpController,
  DeliveriesController,
  AllDeliveriesController,
  EffectsController,
  AguiController,
  ToolsController,
  A2aController,
  AgentsController,
  QueuesController,
  TenantsController,
  SandboxController,
  LoginController,
  HealthController,
  DocsController,
] as const;
