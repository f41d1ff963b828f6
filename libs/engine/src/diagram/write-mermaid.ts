import type { DrawnEdge, DrawnNode, Drawing } from '@errand/contracts';

const MAX_LABEL = 80;

/**
 * Characters with a meaning in Mermaid, list markers, and first letters of keywords that Mermaid searches in whole
 * lines.
 */
const SPECIAL = /["#<>&%`\\$]|(?<=^\d*)[-+*.)](?= )|s(?=tyle)|c(?=lassDef)/g;

/**
 * Writes a drawing as a Mermaid flowchart. Nodes get generated ids (`n0`), because stored ids may be anything,
 * including keywords such as `end`. Texts of the author appear only in quoted labels.
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

/** Workflow inputs and outputs are round. A closed group has double sides. */
function shape(node: DrawnNode): string {
  if (node.kind === 'groupInput' || node.kind === 'groupOutput') return `([${labelOf(node)}])`;
  return node.kind === 'group' ? `[[${labelOf(node)}]]` : `[${labelOf(node)}]`;
}

/** The id of the node and its name or type. */
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
 * Escapes text for a quoted label. Mermaid's escapes have the form `#<code>;`. They replace characters that would end
 * the label or mean HTML, Markdown, a formula or a directive. `style` and `classDef` lose their first letter, because
 * Mermaid cuts lines that contain such a word and an escape.
 */
function escape(text: string): string {
  const characters = Array.from(text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' '));
  const short = characters.length > MAX_LABEL ? `${characters.slice(0, MAX_LABEL - 1).join('')}…` : characters.join('');
  return short.replaceAll(SPECIAL, (sign) => `#${sign.codePointAt(0)};`);
}
