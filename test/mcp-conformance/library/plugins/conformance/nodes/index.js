const { writeFileSync } = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A sound of no length. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const slot = { dataFlowType: 'WILDCARD' };
const text = (value) => ({ type: 'text', text: value });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });

const node = (name, run, inputs = {}) => ({
  type: `conformance:${name}`,
  description: name,
  inputs,
  outputs: { value: slot },
  run: async (given, context) => ({ value: await run(given, context) }),
});

/** The class of the failures that Errand itself reports. */
async function failureClass(callTool) {
  try {
    await callTool('conformance:unknown', {});
  } catch (error) {
    return error.constructor;
  }
  throw new Error('an unknown tool was called');
}

module.exports = {
  nodes: [
    node('simple_text', () => 'This is a simple text response for testing.'),
    node('image', () => ({ content: [image] })),
    node('audio', () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] })),
    node('resource', () => ({
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    })),
    node('mixed', () => ({
      content: [
        text('Multiple content types test:'),
        image,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    })),
    node('error', async (_given, { signal }) => {
      await sleep(100, undefined, { signal });
      throw new Error('This tool intentionally returns an error for testing');
    }),
    node('progress', async (_given, { progress, signal }) => {
      await sleep(50, undefined, { signal });
      progress(0.5, 'half of it');
      await sleep(50, undefined, { signal });
      return 'done';
    }),
    node('logging', (_given, { log }) => {
      log('a log line');
      return 'done';
    }),
    node('change_tools', () => {
      const tool = {
        id: `added-${Date.now()}`,
        name: 'Added',
        description: 'A tool that was added while a client listens.',
        interfaceInputs: {},
        interfaceOutputs: {},
        nodes: [],
        edges: [],
      };
      const library = path.join(__dirname, '../../..');
      writeFileSync(path.join(library, 'workflows', `${tool.id}.json`), JSON.stringify(tool));
      return 'added';
    }),
    node('greet', ({ name }) => `Hello, ${name}!`, { name: slot }),
    node(
      'slow',
      async ({ seconds, label }, { signal }) => {
        await sleep(seconds * 1_000, undefined, { signal });
        return `computed ${label}`;
      },
      { seconds: slot, label: slot },
    ),
    node('lost', async (_given, { callTool }) => {
      const Failure = await failureClass(callTool);
      throw new Failure('LostError', 'The process that ran this has died');
    }),
    node('report', ({ answer }) => JSON.stringify(answer), { answer: slot }),
    node(
      'work',
      async ({ answer }, { signal }) => {
        await sleep(1_500, undefined, { signal });
        return `worked for ${answer.name}`;
      },
      { answer: slot },
    ),
  ],
};
