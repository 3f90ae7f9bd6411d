/** What is wrong with an answer; each is one failure category of the proxy. */
export type ResponseFault = 'response_malformed' | 'response_header_too_large' | 'response_incomplete';

/** Bytes of an origin that are no HTTP/1.1 answer. The message is constant: nothing of the answer is in it. */
export class ResponseFormatError extends Error {
  readonly code: ResponseFault;

  constructor(code: ResponseFault, message: string) {
    super(message);
    this.name = 'ResponseFormatError';
    this.code = code;
  }
}

/** An answer that breaks a rule of the grammar. */
export function malformed(message: string): ResponseFormatError {
  return new ResponseFormatError('response_malformed', message);
}
