import { eventually } from './eventually.js';
import type { Stack } from './start-stack.js';
import { WebhookReceiver } from './webhook-receiver.js';
import type { Files } from './write-files.js';

const PLUGIN = `
name: office
displayName: Office
version: 1.0.0
description: The tools of a small office.
nodes: { entry: nodes/index.js }
tools:
  - id: office:invoice
    displayName: Write an invoice
    description: Writes an invoice for a customer.
    parameters:
      type: object
      properties:
        customer: { type: string }
        amount: { type: number, description: The amount in euros }
        currency: { enum: [EUR, USD] }
      required: [customer, amount]
      additionalProperties: false
    implementation: { type: node, nodeType: office:invoice }
  - id: office:pay
    displayName: Pay
    description: Pays an invoice.
    parameters: { type: object, properties: { invoice: { type: string } }, required: [invoice] }
    effects: once
    implementation: { type: service, serviceName: office, methodName: pay }
  - id: office:approve
    displayName: Approve a payment
    description: Asks a person whether a payment is right.
    parameters: { type: object, properties: { what: { type: string } }, required: [what] }
    output: { type: object, properties: { ok: { type: boolean }, comment: { type: string } }, required: [ok] }
    implementation: { type: external, timeoutMs: 3600000 }
  - id: office:archive
    displayName: Read the archive
    description: Reads every letter of a year.
    parameters: { type: object, properties: {} }
    implementation: { type: node, nodeType: office:archive }
  - id: office:report
    displayName: Monthly report
    description: Collects the numbers of a month, and waits for the printer.
    parameters: { type: object, properties: { month: { type: string } } }
    implementation: { type: workflow, workflowId: report }
`;

/** `office:print` waits for a printer that never answers. */
const NODES = `
const slot = { dataFlowType: 'WILDCARD' };
const setTimer = require('node:timers/promises').setTimeout;
module.exports = {
  nodes: [
    { type: 'office:invoice', description: 'd', inputs: { customer: slot, amount: slot, currency: slot }, outputs: { value: slot },
      run: ({ customer, amount }) => ({ value: { number: 'R-2041', customer, amount } }) },
    { type: 'office:archive', description: 'd', inputs: {}, outputs: { value: slot },
      run: () => ({ value: Array.from({ length: 6000 }, (_, n) => ({ letter: n, text: 'Thank you very much for your kind letter, number ' + n })) }) },
    { type: 'office:print', description: 'Waits for the printer', inputs: { value: slot }, outputs: { value: slot },
      run: async ({ value }, { signal }) => { await setTimer(3600000, undefined, { signal }); return { value }; } },
  ],
  services: [{ name: 'office', methods: { pay: ({ invoice }) => 'paid ' + invoice } }],
};`;

const REPORT = {
  id: 'report',
  name: 'Monthly report',
  nodes: [
    { id: 'numbers', type: 'core:template', inputValues: { template: 'The numbers of the month' } },
    { id: 'print', type: 'office:print' },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [
    { id: 'a', source: 'numbers', sourceHandle: 'text', target: 'print', targetHandle: 'value' },
    { id: 'b', source: 'print', sourceHandle: 'value', target: 'out', targetHandle: 'result' },
  ],
  interfaceOutputs: { result: { dataFlowType: 'WILDCARD' } },
};

const RENDER = {
  toolId: 'office:render',
  description: 'Renders a picture',
  version: '1.0.0',
  handler: { type: 'external-script', language: 'python', scriptPath: 'render.py' },
  parameters: { type: 'object', properties: {} },
  runner: 'gpu',
};

/** A library with a tool for each fault, and a file that does not load. */
export const FAULTY_LIBRARY: Files = {
  'plugins/office/plugin.yaml': PLUGIN,
  'plugins/office/nodes/index.js': NODES,
  'plugins/office/workflows/report.json': REPORT,
  'scripts/render.py': 'print(1)\n',
  'tools/render.tool.json': RENDER,
  'tools/broken.tool.json': '{ "toolId": "office:broken", "description": ',
};

/** Settings of a stack that `makeFaults` is for. */
export const FAULTY_ENV = { ERRAND_CALLBACK_ALLOW: '127.0.0.1', ERRAND_CALLBACK_BACKOFF: '0 0.05 0.05' } as const;

/** The ids of what is wrong. */
export interface Faults {
  hangs: string;
  waitsForRunner: string;
  lostCallback: string;
  waitsForPerson: string;
  repeatedEffect: string;
  cutResult: string;
  lostProcess: number;
}

/** A text of a model that names a parameter wrongly. */
export const MISCALL = `I will write the invoice.
<ACTION>
  <office:invoice>
    <customer>Miller &amp; Sons</customer>
    <amout>420</amout>
  </office:invoice>
</ACTION>`;

/** Brings ten faults into a running stack, as an operator may find them at night. Needs a worker in the stack, and dist/. */
export async function makeFaults(stack: Stack): Promise<Faults> {
  const { client } = stack;
  const session = 'customer 17';
  const receiver = await WebhookReceiver.start((_request, response) => response.writeHead(410).end());
  stack.keep({ close: () => receiver.stop() });
  const hangs = await client.submit({ toolId: 'office:report', arguments: { month: 'November' } });
  // A worker closes when the printer has been given up.
  stack.keep({ close: async () => void (await client.cancel(hangs)) });
  const waitsForRunner = await client.submit({ toolId: 'office:render', arguments: {} });
  const lostCallback = await client.submit({
    toolId: 'core:echo',
    arguments: { value: 1 },
    callback: { url: receiver.url },
  });
  const waitsForPerson = await client.submit({ toolId: 'office:approve', arguments: { what: 'R-2041, 420 euros' } });
  await client.invoke({ toolId: 'office:pay', arguments: { invoice: 'R-2041' }, session });
  const repeatedEffect = (await client.invoke({ toolId: 'office:pay', arguments: { invoice: 'R-2041' }, session })).id;
  const cutResult = (await client.invoke({ toolId: 'office:archive', arguments: {} })).id;
  for (let n = 0; n < 5; n++) await client.post('/v1/invocations', { text: MISCALL, session });
  await client.untilEnded(lostCallback);
  await client.untilWaiting(waitsForPerson);
  await client.post('/v1/queues/scripts/pause', { note: 'The registry of packages is away' });
  const lost = await stack.processes.start('worker');
  await stack.processes.end(lost);
  await eventually(async () => {
    const { body } = await client.get<{ items: { state: string }[] }>('/v1/processes');
    return body.items.some(({ state }) => state === 'lost');
  });
  return {
    hangs,
    waitsForRunner,
    lostCallback,
    waitsForPerson,
    repeatedEffect,
    cutResult,
    lostProcess: lost.pid ?? 0,
  };
}
