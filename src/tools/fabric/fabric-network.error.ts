/** The kind of failure. */
export type FabricNetworkErrorCode =
  | 'BINARY_MISSING'
  | 'RELEASE_FILE_MISSING'
  | 'VERSION_UNSUPPORTED'
  | 'PORT_TAKEN'
  | 'DIRECTORY_IN_USE'
  | 'PLAN_DIFFERS'
  | 'COMMAND_FAILED'
  | 'PROCESS_ENDED'
  | 'NOT_READY'
  | 'INTERRUPTED';

/** A step of `npm run fabric` that failed. Its message is one line that states what to do. */
export class FabricNetworkError extends Error {
  readonly code: FabricNetworkErrorCode;

  constructor(code: FabricNetworkErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FabricNetworkError';
    this.code = code;
  }
}
