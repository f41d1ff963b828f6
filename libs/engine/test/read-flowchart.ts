interface Flowchart {
  nodes: { id: string; shape: string; label: string[]; within: string | undefined }[];
  subgraphs: { id: string; label: string[]; within: string | undefined }[];
  edges: [source: string, label: string, target: string][];
}

const LABEL = '"((?:[^"#<>&%$`\\\\\\p{Cc}]|#\\d+;|<br/>)*)"';
const STATEMENTS = {
  subgraph: new RegExp(`^subgraph (n\\d+)\\[${LABEL}\\]$`, 'u'),
  end: /^end$/,
  edge: new RegExp(`^(n\\d+) -->\\|${LABEL}\\| (n\\d+)$`, 'u'),
  node: new RegExp(`^(n\\d+)(\\(\\[|\\[\\[|\\[)${LABEL}(\\]\\)|\\]\\]|\\])(:::off)?$`, 'u'),
  class: /^classDef off stroke-dasharray: 4$/,
};
const CLOSES: Record<string, string> = { '([': '])', '[[': ']]', '[': ']' };

/**
 * Reads the part of Mermaid's flowchart language that Errand writes. It throws for unknown statements, characters that
 * Mermaid does not take as text, unclosed subgraphs and unknown nodes.
 */
export function readFlowchart(text: string): Flowchart {
  const [head, ...lines] = text.trimEnd().split('\n');
  if (head !== 'flowchart LR') throw new Error(`It begins with ${head}`);
  const chart: Flowchart = { nodes: [], subgraphs: [], edges: [] };
  const open: string[] = [];
  for (const line of lines) readStatement(line.trim(), chart, open);
  if (open.length > 0) throw new Error(`${open.join(', ')} has no end`);
  const known = new Set([...chart.nodes, ...chart.subgraphs].map(({ id }) => id));
  if (known.size < chart.nodes.length + chart.subgraphs.length) throw new Error('An id occurs twice');
  for (const [source, , target] of chart.edges)
    if (!known.has(source) || !known.has(target)) throw new Error(`${source} --> ${target} leads nowhere`);
  return chart;
}

function readStatement(line: string, chart: Flowchart, open: string[]): void {
  const [subgraph, edge, node] = [STATEMENTS.subgraph, STATEMENTS.edge, STATEMENTS.node].map((form) => form.exec(line));
  const within = open.at(-1);
  if (subgraph) {
    chart.subgraphs.push({ id: subgraph[1]!, label: decode(subgraph[2]!), within });
    open.push(subgraph[1]!);
  } else if (edge) chart.edges.push([edge[1]!, decode(edge[2]!).join('\n'), edge[3]!]);
  else if (node && CLOSES[node[2]!] === node[4]) {
    chart.nodes.push({ id: node[1]!, shape: node[2]!, label: decode(node[3]!), within });
  } else if (STATEMENTS.end.test(line)) {
    if (open.pop() === undefined) throw new Error("An 'end' without subgraph");
  } else if (!STATEMENTS.class.test(line)) throw new Error(`Unknown statement: ${line}`);
}

/** The lines of a label as Mermaid displays them. */
function decode(label: string): string[] {
  return label
    .split('<br/>')
    .map((line) => line.replaceAll(/#(\d+);/g, (_all, code: string) => String.fromCodePoint(Number(code))));
}
