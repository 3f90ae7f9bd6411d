/** `BAD_OPTION`: what was asked for cannot be done; `LISTEN_FAILED`: the address cannot be listened on. */
export type ChaincodeCommandErrorCode = 'CHAINCODE.BAD_OPTION' | 'CHAINCODE.LISTEN_FAILED';

/** Why the chaincode could not be served or packaged; the message is one line for the user. */
export class ChaincodeCommandError extends Error {
  readonly code: ChaincodeCommandErrorCode;

  constructor(code: ChaincodeCommandErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ChaincodeCommandError';
    this.code = code;
  }
}
