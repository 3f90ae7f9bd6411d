import { ProxyFailure } from '../failure/proxy-failure.js';
import { parseAuthority } from '../forward/request/authority.js';
import type { Target } from '../upstream/upstream.js';

/** No port stands for none: CONNECT has no default (RFC 9112, section 3.2.3), and port 0 is refused. */
const NO_DEFAULT_PORT = 0;

function bad(detail: string): ProxyFailure {
  return new ProxyFailure('bad_request', { detail });
}

/** What is read of a CONNECT: node:http's IncomingMessage has it. */
export interface ConnectRequest {
  readonly url?: string | undefined;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
}

/** What CONNECT cares about, counted in one pass: node:http's own collections cost more than a look at a few lines. */
interface Fields {
  hosts: number;
  contentLengths: number;
  /** Whether there is something that announces content. */
  content: boolean;
}

function readFields(rawHeaders: readonly string[]): Fields {
  const fields: Fields = { hosts: 0, contentLengths: 0, content: false };
  for (let at = 0; at < rawHeaders.length; at += 2) {
    switch (rawHeaders[at]?.toLowerCase()) {
      case 'host':
        fields.hosts += 1;
        break;
      case 'content-length':
        fields.contentLengths += 1;
        fields.content ||= rawHeaders[at + 1] !== '0';
        break;
      case 'transfer-encoding':
        fields.content = true;
        break;
      default:
    }
  }
  return fields;
}

/**
 * The target of a CONNECT request, which is in authority-form and has no content (RFC 9110, section 9.3.6).
 *
 * @throws {@link ProxyFailure} `bad_request`
 */
export function parseConnectTarget({ httpVersion, rawHeaders, url = '' }: ConnectRequest): Target {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw bad('HTTP version');
  }
  const { hosts, contentLengths, content } = readFields(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw bad('CONNECT needs one Host');
  }
  if (content || contentLengths > 1) {
    throw bad('CONNECT with content');
  }
  return parseAuthority(url, NO_DEFAULT_PORT);
}
