import type { StoredWorkflow } from '@errand/contracts';
import { readFlowchart } from '../../test/read-flowchart.js';
import { give, nodeType, options, TYPES, workflow } from '../../test/workflow-kit.js';
import { drawGraph } from './draw-graph.js';
import { runWorkflow } from '../run/run-workflow.js';
import { writeMermaid } from './write-mermaid.js';

const group = (id: string, referencedWorkflowId: string, more: object = {}) => ({
  id,
  type: 'core:NodeGroup',
  configValues: { referencedWorkflowId },
  ...more,
});
const lookups = (...stored: StoredWorkflow[]) =>
  options(TYPES, { workflows: new Map(stored.map((one) => [one.id!, one])) });

const INNER = workflow([{ id: 'n', type: 'test:give' }], ['in.x > n.value', 'n.value > out.y'], {
  id: 'inner',
  inputs: ['x'],
  outputs: ['y'],
});
const MIDDLE = workflow([group('a', 'inner'), group('b', 'inner')], ['in.x > a.x', 'a.y > b.x', 'b.y > out.y'], {
  id: 'middle',
  inputs: ['x'],
  outputs: ['y'],
});
const OUTER = workflow([group('m', 'middle')], ['in.x > m.x', 'm.y > out.y'], { inputs: ['x'], outputs: ['y'] });

describe('drawGraph', () => {
  it('The graph contains the nodes and edges as stored', () => {
    const named = nodeType('test:named', ['value'], () => ({}), { displayName: 'Named' });
    const stored = workflow(
      [
        { id: 'a', type: 'test:named', bypassed: true },
        { id: 'b', type: 'test:give', displayName: 'Second', muted: true },
      ],
      ['a.value > b.value'],
    );
    expect(drawGraph(stored, options([named, give]))).toEqual({
      nodes: [
        { id: 'a', type: 'test:named', kind: 'node', displayName: 'Named', bypassed: true },
        { id: 'b', type: 'test:give', kind: 'node', displayName: 'Second', muted: true },
      ],
      edges: [{ source: 'a', sourceHandle: 'value', target: 'b', targetHandle: 'value' }],
    });
  });

  it('The graph opens node groups and uses the node keys of a run', async () => {
    const { nodes, edges } = drawGraph(OUTER, lookups(INNER, MIDDLE));
    expect(nodes.filter(({ kind }) => kind === 'node').map(({ id, group: g }) => [id, g])).toEqual([
      ['m/a/n', 'm/a'],
      ['m/b/n', 'm/b'],
    ]);
    expect(nodes.find(({ id }) => id === 'm/a')).toEqual({
      id: 'm/a',
      type: 'core:NodeGroup',
      kind: 'group',
      workflowId: 'inner',
      group: 'm',
    });
    expect(edges).toHaveLength(2 + 3 + 2 + 2);
    const run = lookups(INNER, MIDDLE);
    await runWorkflow(OUTER, { x: 1 }, run);
    const ran = run.events.flatMap((event) => (event.event === 'node' ? [event.state.nodeId] : []));
    expect(nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(ran));
  });

  it('The graph escapes separators in node ids as a run does', async () => {
    const stored = workflow([{ id: 'a/b#c%', type: 'test:give' }], []);
    const run = lookups();
    await runWorkflow(stored, {}, run);
    expect(drawGraph(stored, run).nodes[0]!.id).toBe('a%2Fb%23c%25');
    expect(run.events[0]).toMatchObject({ state: { nodeId: 'a%2Fb%23c%25' } });
  });

  it('The graph keeps groups closed beyond 2,000 nodes', () => {
    const levels = Array.from({ length: 40 }, (_, n) =>
      workflow(n === 0 ? [] : [group('l', `w${n - 1}`), group('r', `w${n - 1}`)], [], { id: `w${n}` }),
    );
    const { nodes } = drawGraph(levels.at(-1)!, lookups(...levels));
    expect(nodes.length).toBeGreaterThan(1_000);
    expect(nodes.length).toBeLessThanOrEqual(2_000);
    const opened = new Set(nodes.map((node) => node.group));
    for (const { id, closed } of nodes) expect(closed ?? false).toBe(!opened.has(id));
  });
});

describe('writeMermaid', () => {
  it('A node group becomes a subgraph', () => {
    const text = writeMermaid(drawGraph(OUTER, lookups(INNER, MIDDLE)));
    expect(text).toContain(
      [
        '  subgraph n1["m<br/>middle"]',
        '    n3(["in<br/>core:GroupInput"])',
        '    subgraph n4["a<br/>inner"]',
        '      n7(["in<br/>core:GroupInput"])',
        '      n8["n<br/>test:give"]',
        '      n9(["out<br/>core:GroupOutput"])',
        '    end',
      ].join('\n'),
    );
    expect(readFlowchart(text).edges).toContainEqual(['n0', 'x', 'n1']);
  });

  it.each([
    ['quotes', 'say "hi"'],
    ['brackets', 'a[b](c){d}<e>|f|'],
    ['a keyword', 'end'],
    ['keywords within a line', 'subgraph style:red#1; classDef x fill:#f00;'],
    ['a directive', '%%{init: {"theme": "dark"}}%%'],
    ['a comment', '%% nothing'],
    ['Markdown', '`**bold**`'],
    ['an entity', '&lt;b&gt; #quot; #35;'],
    ['several lines', 'one\ntwo\r\nthree\u2028four'],
    ['other scripts', '节点 「始」 👩‍🚀 é'],
    ['arrows', 'a --> b; c === d'],
    ['a formula', '$$x^2$$'],
    ['the beginning of a list', '1. first'],
    ['a backslash', 'C:\\temp\\'],
  ])('A label shows %s as plain text', (_what, name) => {
    const anything = nodeType(`test:${name}`, [name], () => ({}), {
      outputs: { [name]: { dataFlowType: 'WILDCARD' } },
    });
    const drawing = drawGraph(
      {
        nodes: [
          { id: name, type: anything.type },
          { id: 'other', type: anything.type, displayName: name },
        ],
        edges: [{ source: name, sourceHandle: name, target: 'other', targetHandle: name }],
      },
      options([anything]),
    );
    const chart = readFlowchart(writeMermaid(drawing));
    const shown = name.replaceAll(/[\r\n\u2028]+/g, ' ');
    expect(chart.nodes.map(({ label }, index) => label[index])).toEqual([shown, shown]);
    expect(chart.edges).toEqual([['n0', shown, 'n1']]);
  });

  it('The drawing marks bypassed and muted nodes', () => {
    const stored = workflow(
      [
        { id: 'a', type: 'test:give', bypassed: true },
        { id: 'b', type: 'test:give', muted: true },
      ],
      [],
    );
    expect(writeMermaid(drawGraph(stored, lookups()))).toBe(
      [
        'flowchart LR',
        '  n0["a (bypassed)<br/>test:give"]:::off',
        '  n1["b (muted)<br/>test:give"]:::off',
        '  classDef off stroke-dasharray: 4',
        '',
      ].join('\n'),
    );
  });

  it('A long label is cut between characters', () => {
    const stored = workflow([{ id: 'n', type: 'test:give', displayName: '👩'.repeat(200) }], []);
    const [node] = readFlowchart(writeMermaid(drawGraph(stored, lookups()))).nodes;
    expect(node!.label[1]).toBe(`${'👩'.repeat(79)}…`);
  });
});
