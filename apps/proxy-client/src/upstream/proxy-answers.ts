import type { HttpUpstreamConfig } from '../config/proxy-client-config.js';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { schemesOf } from '../http/challenges.js';
import { joinedValues } from '../http/field-lines.js';
import type { ResponseHead } from '../http/response-reader.js';

/** The status of a proxy that requires credentials. */
export const LOGIN = 407;
/** What tinyproxy answers to wrong credentials. */
const WRONG_LOGIN = 401;

type Login = Pick<HttpUpstreamConfig, 'credentials' | 'negotiate'>;

/** Returns the field with user name and password, with its line end (RFC 7617). */
export function basicField({ credentials }: Login): string {
  if (credentials === undefined) return '';
  const { username, password } = credentials;
  return `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`;
}

/** The categories of answers to CONNECT. 500, 502 and 503 have many causes, which proxies do not distinguish reliably. */
const ANSWERS: Readonly<Partial<Record<number, FailureCategory>>> = {
  [WRONG_LOGIN]: 'upstream_denied',
  403: 'upstream_denied',
  405: 'upstream_denied',
  500: 'upstream_cannot_connect',
  502: 'upstream_cannot_connect',
  503: 'upstream_cannot_connect',
  408: 'upstream_target_timeout',
  504: 'upstream_target_timeout',
};

/** The error type in a Proxy-Status (RFC 9209, section 2.1.1). */
const ERROR_TYPE = /;[ \t]*error=([a-z_]{1,50})/i;

/** Returns the failure that an answer to CONNECT reports. Its text is never used, since it may contain anything. */
export function failureOfAnswer({ status, lines }: ResponseHead, login: Login): ProxyFailure {
  const [, type] = ERROR_TYPE.exec(joinedValues(lines, 'proxy-status')) ?? [];
  const detail = `HTTP ${status}${type === undefined ? '' : `, ${type}`}`;
  if (status === LOGIN || (status === WRONG_LOGIN && login.credentials !== undefined)) {
    return failureOfLogin(schemesOf(lines, 'proxy-authenticate'), login, detail);
  }
  const category = ANSWERS[status];
  if (category !== undefined) return new ProxyFailure(category, { fault: 'target', detail });
  return new ProxyFailure('upstream_answered', { fault: 'server', detail });
}

/** The schemes that a failure names. Other names are not shown, since the server may send anything. */
const SCHEMES: Readonly<Record<string, string>> = {
  basic: 'Basic',
  bearer: 'Bearer',
  digest: 'Digest',
  kerberos: 'Kerberos',
  negotiate: 'Negotiate',
  ntlm: 'NTLM',
};

/** Returns the failure of a server that requires credentials, or refuses them. It names what helps. */
function failureOfLogin(offered: readonly string[], { credentials, negotiate }: Login, answer: string): ProxyFailure {
  const wanted = negotiate === undefined ? 'basic' : 'negotiate';
  if (offered.length > 0 && !offered.includes(wanted)) {
    const names = [...new Set(offered.map((scheme) => SCHEMES[scheme] ?? 'an unknown scheme'))].join(', ');
    const text = `The upstream server offers only ${names}${adviceFor(offered, wanted)}.`;
    return new ProxyFailure('upstream_scheme', { fault: 'server', detail: `${answer}, offers ${names}`, text });
  }
  if (negotiate !== undefined) {
    const service = negotiate.service.replace('@', '/');
    const text = `The upstream server refused the ticket for ${service}: wrong service name (servicePrincipal), or clocks over 5 minutes apart.`;
    return new ProxyFailure('upstream_ticket', { fault: 'server', detail: answer, text });
  }
  const category = credentials === undefined ? 'upstream_auth_required' : 'auth_failed';
  return new ProxyFailure(category, { fault: 'server', detail: answer });
}

/** Returns what helps with a server that does not offer the configured scheme. */
function adviceFor(offered: readonly string[], wanted: string): string {
  if (wanted === 'negotiate' && offered.includes('basic'))
    return ': set username and password instead of auth: negotiate';
  const ways = [
    ...(offered.includes('negotiate') ? ['set auth: negotiate'] : []),
    ...(offered.includes('ntlm') ? ['run px or cntlm and name it as the upstream'] : []),
    ...(offered.includes('digest') ? ['run px and name it as the upstream'] : []),
  ];
  return ways.length === 0 ? ', which this proxy does not support' : `: ${ways.slice(0, 2).join(', or ')}`;
}
