/** A command that fails for a reason that its user can change. Its message is for the user, without a stack. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
  /** Errors with a code of this form are reported without a stack. */
  readonly code: string = 'LEDGER_TOOL.FAILED';
}

/** A command line that commander accepts and a command refuses. */
export class UsageError extends ToolError {
  override readonly code = 'LEDGER_TOOL.USAGE';
}
