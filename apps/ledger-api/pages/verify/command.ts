/** The parts of a command that not every receipt needs. */
interface CommandTerms {
  /** Whether the receipt contains a proof of a log. */
  readonly hasLog?: boolean;
  /** A document outside the blocks that the receipt is compared with. */
  readonly document?: { readonly file: string; readonly salt: string } | undefined;
}

/**
 * Returns the command that verifies a receipt on another machine, with the names of the files as the API calls them.
 */
export function verifyCommand(
  file: string,
  mspIds: readonly string[],
  { hasLog = false, document }: CommandTerms = {},
): string {
  const policy = hasLog ? ['--policy policy.txt'] : [];
  const given = document === undefined ? [] : [`--document ${word(document.file)} --salt ${document.salt}`];
  const roots = mspIds.map((mspId) => `--root ${word(`${mspId}=${mspId}-ca.pem`)}`);
  return ['npm run ledger -- verify-receipt', word(file), ...policy, ...roots, ...given].join(' ');
}

/** Quotes a word of a command for a POSIX shell where needed. */
function word(text: string): string {
  return /^[\w./=:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
