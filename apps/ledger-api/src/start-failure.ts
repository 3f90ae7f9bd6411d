import { InvalidEnvironmentError } from './config/variables.js';

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the host name is not known',
};

/**
 * What a failed start is reported with: one line a fault, no stack. Errors are told apart by their codes: their classes
 * would load the ledger and its drivers just to say that a port is not a number.
 */
export function startFailureLines(error: unknown): readonly string[] {
  if (error instanceof InvalidEnvironmentError) return error.lines;
  if (!hasMessage(error)) return [`ledger-api could not start: ${String(error)}`];
  const { code = '' } = error;
  if (code.startsWith('LEDGER.')) return [`The ledger cannot be opened (${code}): ${oneLine(error)}`];
  if (code === 'LEDGER_API.TLS_FILE' || code === 'LEDGER_API.CALLERS') return [oneLine(error)];
  return [listenFault(error) ?? `ledger-api could not start: ${oneLine(error)}`];
}

function hasMessage(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'message' in error;
}

function oneLine({ message }: Error): string {
  return message.replace(/\s*\n\s*/g, ' ');
}

function listenFault(error: Error): string | undefined {
  const {
    code = '',
    syscall,
    address,
    hostname,
    port,
  } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly hostname?: string;
    readonly port?: number;
  };
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  const place = syscall === 'listen' ? `${address ?? ''} port ${port ?? ''}` : (hostname ?? '');
  const reason = LISTEN_FAULTS[code] ?? code;
  return `Cannot listen on ${place}: ${reason}. Change LEDGER_API_HOST, LEDGER_API_PORT or LEDGER_API_HTTPS_PORT.`;
}
