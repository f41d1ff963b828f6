import type { SyntaxNode } from '@lezer/common';

/** A node of a syntax tree with the text that it was read from. */
export class Piece {
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
  textUpTo(next: Piece | undefined): string {
    return this.source.slice(this.node.from, next?.node.from ?? this.node.to);
  }

  /** 1-based. */
  get line(): number {
    return this.source.slice(0, this.node.from).split('\n').length;
  }

  /** Whether it begins on the line on which another ends. */
  isBeside(other: Piece): boolean {
    return !this.source.slice(other.node.to, this.node.from).includes('\n');
  }

  children(): Piece[] {
    const found: Piece[] = [];
    for (let child = this.node.firstChild; child; child = child.nextSibling) found.push(this.at(child));
    return found;
  }

  child(...kinds: string[]): Piece | undefined {
    return this.children().find(({ kind }) => kinds.includes(kind));
  }

  all(kind: string): Piece[] {
    return this.children().filter((piece) => piece.kind === kind);
  }

  /** Everything below of some kind, in the order of the source. */
  *below(...kinds: string[]): Generator<Piece> {
    for (const child of this.children()) {
      if (kinds.includes(child.kind)) yield child;
      yield* child.below(...kinds);
    }
  }

  previous(): Piece | undefined {
    return this.node.prevSibling ? this.at(this.node.prevSibling) : undefined;
  }

  next(): Piece | undefined {
    return this.node.nextSibling ? this.at(this.node.nextSibling) : undefined;
  }

  parent(): Piece | undefined {
    return this.node.parent ? this.at(this.node.parent) : undefined;
  }

  private at(node: SyntaxNode): Piece {
    return new Piece(node, this.source);
  }
}

/** What stands in a list beside its elements; ⚠ is where the parser lost its way. */
const BESIDE = ['(', ')', '[', ']', '{', '}', '<', '>', 'Comment', 'LineComment', 'BlockComment', '⚠'];

/** The elements of a list in brackets, between its commas; none where the source is broken and has no list. */
export function betweenCommas(list: Piece | undefined): Piece[][] {
  const parts: Piece[][] = [[]];
  for (const piece of list?.children() ?? []) {
    if (BESIDE.includes(piece.kind)) continue;
    if (piece.kind === ',') parts.push([]);
    else parts.at(-1)!.push(piece);
  }
  return parts.filter((part) => part.length > 0);
}

/** Lines that the parser could not make sense of, 1-based. */
export function linesNotRead(root: Piece): number[] {
  return [...new Set([...root.below('⚠')].map(({ line }) => line))];
}
