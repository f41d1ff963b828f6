import type { ChildProcess } from 'node:child_process';
import { describeWithDocker } from './escapes/real-sandbox.js';
import { until } from './escapes/until.js';
import { Stack } from './support/start-stack.js';

const FETCH = {
  python: 'import urllib.request\nurllib.request.urlopen("http://api.example/")',
  bun: 'await fetch("http://api.example/");',
};

/** The tool file and its script. */
function tool(toolId: string, language: keyof typeof FETCH, securityContext: object): Record<string, string> {
  const name = toolId.replace(':', '-');
  const scriptPath = `${name}/main.${language === 'python' ? 'py' : 'ts'}`;
  const file = {
    toolId,
    version: '1.0.0',
    description: 'For a test',
    handler: { type: 'external-script', scriptPath, language },
    parameters: { type: 'object', properties: {} },
    securityContext,
  };
  return { [`tools/${name}.tool.json`]: JSON.stringify(file), [`scripts/${scriptPath}`]: FETCH[language] };
}

describeWithDocker('Hints about the settings that a script lacks', () => {
  const stack = new Stack({
    library: {
      ...tool('net:python', 'python', {}),
      ...tool('net:bun', 'bun', {}),
      ...tool('net:secret', 'python', { secrets: ['API_KEY'] }),
      ...tool('net:folder', 'python', { fileAccess: { allowRead: ['reports'] } }),
    },
  });
  let runner: ChildProcess;

  beforeAll(async () => {
    await stack.open();
    const images = { python: process.env['ERRAND_TEST_IMAGE_PYTHON'], bun: process.env['ERRAND_TEST_IMAGE_BUN'] };
    runner = await stack.processes.start('script-runner', {
      ...(images.python !== undefined && { ERRAND_IMAGE_PYTHON: images.python }),
      ...(images.bun !== undefined && { ERRAND_IMAGE_BUN: images.bun }),
    });
  });
  afterAll(async () => {
    await stack.processes.end(runner, 'SIGTERM');
    await stack.close();
  });

  it.each([
    [
      'net:python',
      'ScriptError',
      /urlopen error.*; this tool has no network access$/s,
      /securityContext\.networkAccess.*ERRAND_EGRESS_ALLOW/,
    ],
    [
      'net:bun',
      'ScriptError',
      /; this tool has no network access$/,
      /securityContext\.networkAccess.*ERRAND_EGRESS_ALLOW/,
    ],
    ['net:secret', 'SecurityError', /: the operator does not allow it$/, /ERRAND_SECRETS_ALLOW/],
    ['net:folder', 'SecurityError', /: the operator does not allow it$/, /ERRAND_FILES_ALLOW/],
  ])(
    '%s fails with %s, and only the log of the script-runner names the setting',
    async (toolId, type, message, hint) => {
      const invocation = await stack.client.invoke({ toolId });
      expect(invocation).toMatchObject({ status: 'failed', error: { type, message: expect.stringMatching(message) } });
      const { body } = await stack.client.get(`/v1/invocations/${invocation.id}/logs`);
      expect(JSON.stringify([invocation, body])).not.toMatch(/ERRAND_[A-Z]+_ALLOW|securityContext|allowHosts/);
      const lines = () => stack.processes.wordsOf(runner).split('\n');
      await until('the log of the script-runner has the hint', async () =>
        lines().some((line) => line.includes(toolId) && hint.test(line)),
      );
    },
  );
});
