// Work as an installation has it: calls that succeed, fail, wait and are refused, of several agents and sessions.

const SALES = 'region,amount\nnorth,120\nsouth,80\nwest,200\n';
const action = (tool, inner) => `<ACTION>\n  <${tool}>\n${inner}\n  </${tool}>\n</ACTION>`;
const parameter = (name, value) => `    <${name}>${value}</${name}>`;

/** Texts of models. Some of them are refused. */
const TEXTS = [
  `I add the three amounts.\n${action('core:expression', parameter('expression', '120 + 80 + 200'))}`,
  `Let me compute two to the tenth.\n${action('core:math', ['op', 'a', 'b'].map((name, n) => parameter(name, ['power', 2, 10][n])).join('\n'))}`,
  `I look at the odds first.\n${action('dice:rol', parameter('count', 2))}`,
  `Now the sum.\n${action('core:math', [parameter('op', 'plus'), parameter('a', 1), parameter('b', 2)].join('\n'))}`,
  action('core:math', [parameter('op', 'add'), parameter('a', 'three'), parameter('b', 2)].join('\n')),
  `The report follows.\n${action('workflow:sales-report', parameter('csv', SALES))}`,
];

async function post(url, path, body, headers = {}) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** Submits the work, and waits for what ends. @returns the ids that pictures open */
export async function submitWork(url) {
  const wait = { prefer: 'wait=20' };
  const submit = (body) => post(url, '/v1/invocations', body, wait);
  for (let round = 0; round < 4; round++)
    for (const [n, text] of TEXTS.entries()) await submit({ text, session: `order-${1_040 + n}` });
  for (const name of ['Ada', 'Grace', 'Edsger', 'Barbara'])
    await submit({ toolId: 'workflow:greet', arguments: { name }, session: 'welcome-mails' });
  await submit({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 }, options: { attempts: 2 } });
  await submit({ toolId: 'dice:roll', arguments: { count: 3, seed: 'a' } });
  const question = {
    toolId: 'workflow:approve',
    arguments: { draft: { title: 'Refund', text: 'We refund order 1042 in full.' } },
  };
  await post(url, '/v1/invocations', { ...question, session: 'order-1042' });
  await post(url, '/v1/invocations', { toolId: 'core:delay', arguments: { ms: 45_000, value: 'later' } });
  const written = await submit({ text: TEXTS[1], session: 'order-1041' });
  const report = await submit({ toolId: 'workflow:sales-report', arguments: { csv: SALES } });
  await post(url, '/v1/queues/scripts/pause', { note: 'The runner hosts get new kernels until 18:00' });
  await post(url, '/v1/invocations', { toolId: 'text:slugify', arguments: { title: 'Crème brûlée' } });
  return { written: written.id, report: report.id };
}
