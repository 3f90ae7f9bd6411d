/** What is wrong with a message. */
export type FormatFault = 'malformed' | 'header_too_large' | 'incomplete';

/** Bytes that are no HTTP/1.1 message. The message of the error is constant: nothing of the bytes is in it. */
export class FormatError extends Error {
  readonly fault: FormatFault;

  constructor(fault: FormatFault, message: string) {
    super(message);
    this.name = 'FormatError';
    this.fault = fault;
  }
}

/** A message that breaks a rule of the grammar. */
export function malformed(message: string): FormatError {
  return new FormatError('malformed', message);
}
