import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Helmet's headers as constants: they depend on nothing in a request, so helmet runs once instead of each time.
 * No HSTS, since the certificate may be self-signed and http is served too; for the same reason no
 * `upgrade-insecure-requests`, which would break the API's own pages over http.
 */
export function securityHeaders(): Readonly<Record<string, string>> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const setHeaders = helmet({
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } },
  });
  setHeaders(response.req, response, (error?: unknown) => {
    if (error !== undefined) throw new Error('The security headers could not be made.', { cause: error });
  });
  return Object.freeze(
    Object.fromEntries(
      Object.entries(response.getHeaders()).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
  );
}
