import { FEATURES, type Feature, type Whoami } from '@errand/contracts';
import { calledHost, VERSION } from '@errand/platform';
import { LoginSessions, Queues } from '@errand/queue';
import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiConfiguration } from '../api-tokens.js';
import { ProblemError } from '../http/problem-error.js';
import { Callers, type Caller } from './callers.js';
import { FailedLogins, noteFailure } from './failed-logins.js';
import { cookieWith, tokenIn } from './login-cookie.js';
import { refuseCrossSite } from './refuse-cross-site.js';

/** POST /v1/login */
export class LoginRequest {
  @IsString()
  @IsNotEmpty()
  @MaxLength(1_024)
  key: string;
}

/** The parts of Errand that this version has. */
const HAS: ReadonlySet<Feature> = new Set(['turns']);
const PRESENT = FEATURES.filter((feature) => HAS.has(feature));

/** The login session of a browser, and who the caller is. `guardAccess` lets everybody log in and out. */
@Controller('v1')
export class LoginController {
  private readonly failures = new FailedLogins();

  constructor(
    private readonly settings: ApiConfiguration,
    private readonly callers: Callers,
    private readonly sessions: LoginSessions,
    private readonly queues: Queues,
  ) {}

  /** Begins a login session for a key. Where the server has no keys, there is nothing to begin. */
  @Post('login')
  @HttpCode(201)
  async login(
    @Req() request: FastifyRequest,
    @Body() { key }: LoginRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Whoami> {
    this.refuseForeign(request);
    const caller = this.callers.identify({ authorization: `Bearer ${key}` });
    if (!caller) throw await this.failure(request.ip, reply);
    if (!caller.key) return this.describe(caller);
    const session = await this.sessions.begin(await this.callers.nameOf(caller.key));
    void reply.header('set-cookie', cookieWith(session.token, this.settings.ERRAND_PUBLIC_URL));
    return this.describe({ ...caller, session });
  }

  /** Ends the login session of the cookie, if there is one. */
  @Post('logout')
  @HttpCode(204)
  async logout(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    this.refuseForeign(request);
    const token = tokenIn(request.headers.cookie);
    const session = token === undefined ? undefined : await this.sessions.use(token);
    if (session) await this.sessions.end(session.digest);
    void reply.header('set-cookie', cookieWith('', this.settings.ERRAND_PUBLIC_URL));
  }

  @Get('whoami')
  whoami(@Req() { caller }: FastifyRequest): Promise<Whoami> {
    return this.describe(caller);
  }

  private async describe(caller: Caller): Promise<Whoami> {
    const { tenant, scopes, session } = caller;
    const expiresAt = session ? new Date(session.expiresAt).toISOString() : null;
    const subject = await this.callers.subjectOf(caller);
    return { tenant, subject, scopes, expiresAt, features: PRESENT, version: VERSION };
  }

  /** A page of another site could log a browser in with a key of its own, or out. */
  private refuseForeign(request: FastifyRequest): void {
    const { ERRAND_ALLOWED_ORIGINS: allowed, ERRAND_PUBLIC_URL: publicUrl } = this.settings;
    refuseCrossSite(request, [calledHost(request.raw).origin, publicUrl], this.callers.hasKeys ? [] : allowed);
  }

  private async failure(address: string, reply: FastifyReply): Promise<ProblemError> {
    const retryAfterSeconds = await noteFailure(this.failures, this.queues, address);
    if (retryAfterSeconds === undefined) void reply.header('www-authenticate', 'Bearer');
    if (retryAfterSeconds === undefined)
      return new ProblemError('unauthorized', 'This server does not have that key; ERRAND_API_KEYS lists its keys');
    const detail = `Too many wrong keys came from your address; try again in ${retryAfterSeconds} s`;
    return new ProblemError('rate_limited', detail, { retryAfterSeconds });
  }
}
