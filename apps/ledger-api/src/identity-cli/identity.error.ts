/** A command of `npm run identity` that cannot be carried out; its message is the one line that the user sees. */
export class IdentityError extends Error {
  readonly code = 'LEDGER_API.IDENTITY';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'IdentityError';
  }
}
