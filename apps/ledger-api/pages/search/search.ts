/** What the text in the search box may refer to. */
export interface Candidates {
  readonly block?: number;
  readonly transaction?: string;
  /** Any text may be an asset's id or an owner. */
  readonly text: string;
}

/** Parses the text. It may have surrounding white space, and `0x` or `#` before a number. */
export function candidatesOf(input: string): Candidates {
  const text = input.trim();
  const number = /^#?(\d{1,15})$/.exec(text)?.[1];
  const hash = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  return {
    text,
    ...(number !== undefined && { block: Number(number) }),
    ...(hash !== undefined && { transaction: hash.toLowerCase() }),
  };
}
