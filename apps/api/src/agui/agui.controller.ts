import { readRun, Queues } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Body, Controller, Headers, HttpCode, HttpStatus, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiConfiguration } from '../api-tokens.js';
import { onDisconnect } from '../http/accepted-response.js';
import { Scope } from '../http/guard-access.js';
import { ProblemError } from '../http/problem-error.js';
import type { RequestScope } from '../http/request-scope.js';
import { AnswerTurn } from './answer-turn.js';
import { BeginTurn } from './begin-turn.js';
import { chooseAgent, requireRunnable } from './choose-agent.js';
import { readRunInput } from './read-run-input.js';
import { nameOf, type RunRequest, type RunView } from './run-view.js';
import { sendRun } from './send-run.js';
import { ShowRun } from './show-run.js';

interface AguiHeaders {
  accept?: string;
  traceparent?: string;
}

/** AG-UI: each request is a run, a view of a turn of an agent. Without keys of its own, it stores ids only. */
@Controller('agui')
export class AguiController {
  constructor(
    private readonly beginTurn: BeginTurn,
    private readonly answerTurn: AnswerTurn,
    private readonly showRun: ShowRun,
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly settings: ApiConfiguration,
  ) {}

  /** Runs the agent that the request names in `forwardedProps.agent`, else the default agent. */
  @Post()
  @HttpCode(HttpStatus.OK)
  async runDefault(
    @Scope() scope: RequestScope,
    @Body() body: unknown,
    @Headers() headers: AguiHeaders,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const read = await readRunInput(body);
    const agent = chooseAgent(this.registry, read.forwarded.agent, this.settings.ERRAND_DEFAULT_AGENT);
    await this.respond({ ...read, scope, agent }, headers, reply);
  }

  @Post(':agent')
  @HttpCode(HttpStatus.OK)
  async run(
    @Scope() scope: RequestScope,
    @Param('agent') id: string,
    @Body() body: unknown,
    @Headers() headers: AguiHeaders,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const agent = requireRunnable(this.registry, id);
    await this.respond({ ...(await readRunInput(body)), scope, agent }, headers, reply);
  }

  /** Everything that can be refused by a status of HTTP is known before the stream begins. */
  private async respond(request: RunRequest, { accept, traceparent }: AguiHeaders, reply: FastifyReply): Promise<void> {
    const view = await this.open({ ...request, ...(traceparent !== undefined && { trace: traceparent }) });
    const items = this.showRun.show(request, view, onDisconnect(reply));
    await sendRun(reply, items, { accept, turn: view.turn });
  }

  private async open(request: RunRequest): Promise<RunView> {
    const recorded = await readRun(this.queues, nameOf(request));
    if (recorded && recorded.input !== request.digest) return otherInput(recorded.turn);
    if (recorded) return this.answerTurn.resume(request, recorded);
    const { intent } = request;
    if (intent.kind === 'answers') return this.answerTurn.answer(request, intent.tools, intent.resume);
    try {
      return await this.beginTurn.begin(request, intent.candidates);
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'conflict') return otherInput(undefined);
      throw error;
    }
  }
}

function otherInput(turn: string | undefined): RunView {
  const message = 'This runId was used with another input; take a new one for a new run';
  return { kind: 'refused', code: 'conflict', message, ...(turn !== undefined && { turn }) };
}
