import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OPENAPI } from './openapi/document.js';
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

const START = `SwaggerUIBundle({ url: '/docs-json', dom_id: '#ui', deepLinking: true, defaultModelsExpandDepth: 0 });`;

/** The OpenAPI document, and Swagger UI to read it. */
@Controller()
export class DocsController {
  @Get('docs-json')
  document() {
    return OPENAPI;
  }

  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    void reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:")
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
