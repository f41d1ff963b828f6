import { A2aController } from '../a2a/a2a.controller.js';
import { AguiController } from '../agui/agui.controller.js';
import { FeedController } from '../feed/feed.controller.js';
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
import { ProcessesController } from './processes.controller.js';
import { LogsController } from './logs.controller.js';
import { QueuesController } from './queues.controller.js';
import { ResultsController } from './results.controller.js';
import { StepsController } from './steps.controller.js';
import { InboxController } from '../inbox/inbox.controller.js';
import { LoginController } from '../login/login.controller.js';
import { McpController } from '../mcp/mcp.controller.js';
import { MessagesController } from '../messages/messages.controller.js';
import { RefusalsController } from '../refusals/refusals.controller.js';
import { SourceController } from '../source/source.controller.js';
import { SearchController } from '../search/search.controller.js';
import { SandboxController } from '../sandbox/sandbox.controller.js';
import { SessionsController } from '../sessions/sessions.controller.js';
import { StatsController } from '../stats/stats.controller.js';
import { TenantsController } from './tenants.controller.js';
import { ToolsController } from './tools.controller.js';

/** The controllers with all routes of the API. A test compares them with the OpenAPI document. */
export const CONTROLLERS = [
  BatchesController,
  InvocationsController,
  LogsController,
  ResultsController,
  SourceController,
  RefusalsController,
  StepsController,
  ControlController,
  InboxController,
  ImpactController,
  BulkController,
  MessagesController,
  SessionsController,
  McpController,
  DeliveriesController,
  FeedController,
  AllDeliveriesController,
  EffectsController,
  AguiController,
  ToolsController,
  StatsController,
  SearchController,
  A2aController,
  AgentsController,
  QueuesController,
  ProcessesController,
  TenantsController,
  SandboxController,
  LoginController,
  HealthController,
  DocsController,
] as const;
