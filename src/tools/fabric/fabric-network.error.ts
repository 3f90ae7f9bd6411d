/** What went wrong; the message is one line that says what to do. */
export type FabricNetworkErrorCode =
  | 'FABRIC_NETWORK.BAD_OPTION'
  | 'FABRIC_NETWORK.BINARY_MISSING'
  | 'FABRIC_NETWORK.RELEASE_FILE_MISSING'
  | 'FABRIC_NETWORK.VERSION_UNSUPPORTED'
  | 'FABRIC_NETWORK.PORT_TAKEN'
  | 'FABRIC_NETWORK.DIRECTORY_IN_USE'
  | 'FABRIC_NETWORK.PLAN_DIFFERS'
  | 'FABRIC_NETWORK.COMMAND_FAILED'
  | 'FABRIC_NETWORK.PROCESS_ENDED'
  | 'FABRIC_NETWORK.NOT_READY'
  | 'FABRIC_NETWORK.INTERRUPTED';

/** A step of `npm run fabric` that failed. */
export class FabricNetworkError extends Error {
  readonly code: FabricNetworkErrorCode;

  constructor(code: FabricNetworkErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FabricNetworkError';
    this.code = code;
  }
}
