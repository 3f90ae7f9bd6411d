import { LedgerError } from '#ledger-gateway';
import { InvalidEnvironmentError } from '../config/ledger-api.config.js';
import { TlsFileError } from '../tls/tls-identity.js';

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the host name is not known',
};

/** What a failed start is reported with: one line a fault, no stack. */
export function startFailureLines(error: unknown): readonly string[] {
  if (error instanceof InvalidEnvironmentError) return error.lines;
  if (error instanceof LedgerError) return [`The ledger cannot be opened (${error.code}): ${error.message}`];
  if (error instanceof TlsFileError) return [error.message];
  return [
    listenFault(error) ?? `ledger-api could not start: ${error instanceof Error ? error.message : String(error)}`,
  ];
}

function listenFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
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
