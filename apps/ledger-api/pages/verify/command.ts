/**
 * Returns the command that verifies a receipt on another machine, with the names of the files as the API calls them.
 * @param hasLog - whether the receipt contains a proof of a log
 */
export function verifyCommand(file: string, mspIds: readonly string[], hasLog = false): string {
  const policy = hasLog ? ['--policy policy.txt'] : [];
  const roots = mspIds.map((mspId) => `--root ${word(`${mspId}=${mspId}-ca.pem`)}`);
  return ['npm run ledger -- verify-receipt', word(file), ...policy, ...roots].join(' ');
}

/** Quotes a word of a command for a POSIX shell where needed. */
function word(text: string): string {
  return /^[\w./=:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
