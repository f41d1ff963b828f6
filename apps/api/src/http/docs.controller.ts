import { calledHost } from '@errand/platform';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApiConfiguration } from '../api-tokens.js';
import { addVary, Tagged } from './entity-tags.js';
import { OPENAPI } from './openapi/document.js';
import { serversFor } from './openapi/servers-for.js';
import { ProblemError } from './problem-error.js';

/** The files of Swagger UI that the API serves. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errand: HTTP API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css"><link rel="icon" href="/docs/assets/favicon-32x32.png">
</head>
<body>
<div id="ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>`;

/**
 * A relative `url` would fail in a page that was opened as `http://user:key@host/docs`, because a script may not fetch an address with a
 * password. Without `validatorUrl: null`, the page sends the address of the document to a foreign host.
 */
const START =
  `SwaggerUIBundle({ url: location.origin + '/docs-json', dom_id: '#ui', deepLinking: true, defaultModelsExpandDepth: 0, ` +
  `validatorUrl: null });`;

/** The page loads its own files only, and no other page may show it in a frame. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; " +
  "frame-ancestors 'none'";

/** The first addresses that a new user needs. */
const START_LINKS = {
  console: '/console/',
  docs: '/docs',
  openapi: '/docs-json',
  tools: '/v1/tools',
  invocations: '/v1/invocations',
  readiness: '/readyz',
};

/** The OpenAPI document, and Swagger UI to read it. */
@Controller()
export class DocsController {
  constructor(private readonly settings: ApiConfiguration) {}

  /** A browser goes to the console, or without one to the documentation. Other clients get the first addresses. */
  @Get()
  start(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): void {
    addVary(reply, 'Accept');
    if (/\btext\/html\b/i.test(headers.accept ?? ''))
      return void reply.redirect(this.settings.ERRAND_CONSOLE ? '/console/' : '/docs', 302);
    const { console: page, ...links } = START_LINKS;
    void reply.send({
      name: OPENAPI.info.title,
      links: this.settings.ERRAND_CONSOLE ? { console: page, ...links } : links,
    });
  }

  @Get('docs-json')
  @Tagged()
  document(@Req() { raw }: FastifyRequest) {
    return { ...OPENAPI, servers: serversFor(calledHost(raw).origin, this.settings.ERRAND_PUBLIC_URL) };
  }

  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    void reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('x-content-type-options', 'nosniff')
      .send(PAGE);
  }

  @Get('docs/assets/:name')
  async asset(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    if (name === 'start.js') return void reply.header('content-type', 'text/javascript; charset=utf-8').send(START);
    const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
    if (type === undefined)
      throw new ProblemError('not_found', `The page /docs/assets/${name.slice(0, 80)} does not exist`);
    const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
    void reply.header('content-type', type).send(await readFile(join(folder, name)));
  }
}
