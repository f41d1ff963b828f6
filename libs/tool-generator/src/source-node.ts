import type { SyntaxNode } from '@lezer/common';

/** A node of a syntax tree with its source text. */
export class SourceNode {
  constructor(
    readonly node: SyntaxNode,
    private readonly source: string,
  ) {}

  get kind(): string {
    return this.node.name;
  }

  get text(): string {
    return this.source.slice(this.node.from, this.node.to);
  }

  /** The text from the start of this node to the start of another. */
  textUpTo(next: SourceNode | undefined): string {
    return this.source.slice(this.node.from, next?.node.from ?? this.node.to);
  }

  /** 1-based. */
  get line(): number {
    return this.source.slice(0, this.node.from).split('\n').length;
  }

  /** Whether this node begins on the line where another one ends. */
  isBeside(other: SourceNode): boolean {
    return !this.source.slice(other.node.to, this.node.from).includes('\n');
  }

  children(): SourceNode[] {
    const found: SourceNode[] = [];
    for (let child = this.node.firstChild; child; child = child.nextSibling) found.push(this.at(child));
    return found;
  }

  /** The text of the first child; empty if the node has no children. */
  get firstText(): string {
    return this.node.firstChild ? this.at(this.node.firstChild).text : '';
  }

  child(...kinds: string[]): SourceNode | undefined {
    return this.children().find(({ kind }) => kinds.includes(kind));
  }

  all(kind: string): SourceNode[] {
    return this.children().filter((node) => node.kind === kind);
  }

  /** The descendants of some kinds, in the order of the source. */
  *below(...kinds: string[]): Generator<SourceNode> {
    for (const child of this.children()) {
      if (kinds.includes(child.kind)) yield child;
      yield* child.below(...kinds);
    }
  }

  previous(): SourceNode | undefined {
    return this.node.prevSibling ? this.at(this.node.prevSibling) : undefined;
  }

  next(): SourceNode | undefined {
    return this.node.nextSibling ? this.at(this.node.nextSibling) : undefined;
  }

  parent(): SourceNode | undefined {
    return this.node.parent ? this.at(this.node.parent) : undefined;
  }

  private at(node: SyntaxNode): SourceNode {
    return new SourceNode(node, this.source);
  }
}

/** Nodes of a list that are not elements; ⚠ is a syntax error. */
const NOT_ELEMENTS = ['(', ')', '[', ']', '{', '}', '<', '>', 'Comment', 'LineComment', 'BlockComment', '⚠'];

/** The nodes of one element of a list; at least one. */
export type ListElement = [SourceNode, ...SourceNode[]];

/**
 * The elements of a list in brackets, each as the nodes between two commas; empty if a syntax error removed the list.
 */
export function betweenCommas(list: SourceNode | undefined): ListElement[] {
  const elements: ListElement[] = [];
  let current: ListElement | undefined;
  for (const node of list?.children() ?? []) {
    if (NOT_ELEMENTS.includes(node.kind)) continue;
    if (node.kind === ',') current = undefined;
    else if (current) current.push(node);
    else elements.push((current = [node]));
  }
  return elements;
}

/** The 1-based lines with syntax errors. */
export function linesNotRead(root: SourceNode): number[] {
  return [...new Set([...root.below('⚠')].map(({ line }) => line))];
}
