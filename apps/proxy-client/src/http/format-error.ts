/** The kinds of error in an HTTP message. */
export type FormatFault = 'malformed' | 'header_too_large' | 'incomplete';

/** Bytes that are not an HTTP/1.1 message. The text of the error is constant: it contains no byte of the message. */
export class FormatError extends Error {
  readonly fault: FormatFault;

  constructor(fault: FormatFault, message: string) {
    super(message);
    this.name = 'FormatError';
    this.fault = fault;
  }
}

/** Creates the error for a message that violates the grammar. */
export function malformed(message: string): FormatError {
  return new FormatError('malformed', message);
}
