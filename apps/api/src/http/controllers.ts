import { A2aController } from '../a2a/a2a.controller.js';
import { AguiController } from '../agui/agui.controller.js';
import { AgentsController } from './agents.controller.js';
import { BatchesController } from './batches.controller.js';
import { ControlController } from './control.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DocsController } from './docs.controller.js';
import { HealthController } from './health.controller.js';
import { InvocationsController } from './invocations.controller.js';
import { QueuesController } from './queues.controller.js';
import { ResultsController } from './results.controller.js';
import { LoginController } from '../login/login.controller.js';
import { McpController } from '../mcp/mcp.controller.js';
import { MessagesController } from '../messages/messages.controller.js';
import { SearchController } from '../search/search.controller.js';
import { SessionsController } from '../sessions/sessions.controller.js';
import { StatsController } from '../stats/stats.controller.js';
import { TenantsController } from './tenants.controller.js';
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
  AguiController,
  ToolsController,
  StatsController,
  SearchController,
  A2aController,
  AgentsController,
  QueuesController,
  TenantsController,
  LoginController,
  HealthController,
  DocsController,
] as const;
