import { ProxyFailure } from '../failure/proxy-failure.js';

/**
 * What an error of node:http's parser or timers means for the client, or undefined when the connection just broke.
 * The reason that the parser gives is one of its constants: nothing of the request is in it.
 */
export function clientErrorFailure(error: Error & { code?: unknown; reason?: unknown }): ProxyFailure | undefined {
  const code = typeof error.code === 'string' ? error.code : '';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ProxyFailure('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') return new ProxyFailure('request_header_too_large');
  if (!code.startsWith('HPE_')) return undefined;
  return new ProxyFailure('bad_request', typeof error.reason === 'string' ? { detail: error.reason } : {});
}
