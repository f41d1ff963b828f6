import type { SyntaxNode } from '@lezer/common';

/** A node of a syntax tree with the text that it was read from. */
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

  /** The text from here to where another begins. */
  textUpTo(next: SourceNode | undefined): string {
    return this.source.slice(this.node.from, next?.node.from ?? this.node.to);
  }

  /** 1-based. */
  get line(): number {
    return this.source.slice(0, this.node.from).split('\n').length;
  }

  /** Whether it begins on the line on which another ends. */
  isBeside(other: SourceNode): boolean {
    return !this.source.slice(other.node.to, this.node.from).includes('\n');
  }

  children(): SourceNode[] {
    const found: SourceNode[] = [];
    for (let child = this.node.firstChild; child; child = child.nextSibling) found.push(this.at(child));
    return found;
  }

  child(...kinds: string[]): SourceNode | undefined {
    return this.children().find(({ kind }) => kinds.includes(kind));
  }

  all(kind: string): SourceNode[] {
    return this.children().filter((piece) => piece.kind === kind);
  }

  /** Everything below of some kind, in the order of the source. */
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

/** What stands in a list beside its elements; ⚠ is where the parser lost its way. */
const BESIDE = ['(', ')', '[', ']', '{', '}', '<', '>', 'Comment', 'LineComment', 'BlockComment', '⚠'];

/** The elements of a list in brackets, between its commas; none where the source is broken and has no list. */
export function betweenCommas(list: SourceNode | undefined): SourceNode[][] {
  const parts: SourceNode[][] = [[]];
  for (const piece of list?.children() ?? []) {
    if (BESIDE.includes(piece.kind)) continue;
    if (piece.kind === ',') parts.push([]);
    else parts.at(-1)!.push(piece);
  }
  return parts.filter((part) => part.length > 0);
}

/** Lines that the parser could not make sense of, 1-based. */
export function linesNotRead(root: SourceNode): number[] {
  return [...new Set([...root.below('⚠')].map(({ line }) => line))];
}
