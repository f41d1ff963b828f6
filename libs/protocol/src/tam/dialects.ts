/** The delimiters of a dialect of TAM. The parser contains none of them: a new dialect is a new row. */
export interface Dialect {
  blockStart: string;
  blockEnd: string;
  open: string;
  close: string;
  /** The key that names the tool. */
  command: string;
  /** The separator between the name and the number of `commandN` and `nameN`. */
  separator: '' | '_';
  /** Whether blanks around values are removed. */
  trims: boolean;
}

export const DIALECT_NAMES = ['tam', 'tam2', 'vcp'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  tam: {
    blockStart: '<|[REQUEST_TOOL]|>',
    blockEnd: '<|[END_TOOL]|>',
    open: '「始」',
    close: '「末」',
    command: 'command',
    separator: '',
    trims: false,
  },
  tam2: {
    blockStart: '<|[REQUEST_TOOL]|>',
    blockEnd: '<|[END_TOOL]|>',
    open: '»»»',
    close: '«««',
    command: 'command',
    separator: '_',
    trims: false,
  },
  vcp: {
    blockStart: '<<<[TOOL_REQUEST]>>>',
    blockEnd: '<<<[END_TOOL_REQUEST]>>>',
    open: '「始」',
    close: '「末」',
    command: 'tool_name',
    separator: '',
    trims: true,
  },
};

/** Delimiters of a value that may contain every plain marker. All dialects accept them. */
export const ESCAPE = { open: '「始ESCAPE」', close: '「末ESCAPE」' } as const;
