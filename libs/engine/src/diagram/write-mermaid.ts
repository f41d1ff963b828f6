import type { DrawnEdge, DrawnNode, Drawing } from './draw-graph.js';

const MAX_LABEL = 80;

/** Signs with a meaning of their own, beginnings of lists, and first letters of words that Mermaid looks for in whole lines. */
const SPECIAL = /["#<>&%`\\$]|(?<=^\d*)[-+*.)](?= )|s(?=tyle)|c(?=lassDef)/g;

/**
 * A drawing as a Mermaid flowchart. Nodes get ids of its own making (`n0`), for those of a workflow may be anything, words of Mermaid's
 * such as `end` among them; what the author wrote stands in quoted labels only.
 */
export function writeMermaid({ nodes, edges }: Drawing): string {
  const ids = new Map(nodes.map((node, index) => [node.id, `n${index}`]));
  const inside = new Map<string | undefined, DrawnNode[]>();
  for (const node of nodes) {
    const neighbours = inside.get(node.group);
    if (neighbours) neighbours.push(node);
    else inside.set(node.group, [node]);
  }
  const write = (node: DrawnNode, indent: string): string[] => {
    const inner = inside.get(node.id);
    if (!inner) return [`${indent}${ids.get(node.id)}${shape(node)}${isOff(node) ? ':::off' : ''}`];
    return [
      `${indent}subgraph ${ids.get(node.id)}[${labelOf(node)}]`,
      ...inner.flatMap((each) => write(each, `${indent}  `)),
      `${indent}end`,
    ];
  };
  return [
    'flowchart LR',
    ...(inside.get(undefined) ?? []).flatMap((node) => write(node, '  ')),
    ...edges.map((edge) => `  ${ids.get(edge.source)} -->|${edgeLabel(edge)}| ${ids.get(edge.target)}`),
    ...(nodes.some(isOff) ? ['  classDef off stroke-dasharray: 4'] : []),
    '',
  ].join('\n');
}

function isOff({ bypassed, muted }: DrawnNode): boolean {
  return bypassed === true || muted === true;
}

/** Ends of a workflow are round, a group whose inside is not shown has double sides. */
function shape(node: DrawnNode): string {
  if (node.kind === 'groupInput' || node.kind === 'groupOutput') return `([${labelOf(node)}])`;
  return node.kind === 'group' ? `[[${labelOf(node)}]]` : `[${labelOf(node)}]`;
}

/** Its id, and what it is. */
function labelOf({ id, type, displayName, workflowId, bypassed, muted }: DrawnNode): string {
  const own = decodeURIComponent(id.slice(id.lastIndexOf('/') + 1));
  const state = muted ? ' (muted)' : bypassed ? ' (bypassed)' : '';
  return `"${escape(own)}${state}<br/>${escape(displayName ?? workflowId ?? type)}"`;
}

function edgeLabel({ sourceHandle, targetHandle }: DrawnEdge): string {
  const handles = sourceHandle === targetHandle ? sourceHandle : `${sourceHandle} → ${targetHandle}`;
  return `"${escape(handles)}"`;
}

/**
 * Text as it may stand in a quoted label. Mermaid's own escapes are `#<code>;`: for what would end the label or be HTML, Markdown, a
 * formula or a directive in it. `style` and `classDef` lose their first letter, for Mermaid cuts lines that hold them and an escape.
 */
function escape(text: string): string {
  const characters = Array.from(text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' '));
  const short = characters.length > MAX_LABEL ? `${characters.slice(0, MAX_LABEL - 1).join('')}…` : characters.join('');
  return short.replaceAll(SPECIAL, (sign) => `#${sign.codePointAt(0)};`);
}
