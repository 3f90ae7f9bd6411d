import type { ProxyStats } from '#metrics';
import type { FailureReporter, ProxyLog } from '../failure/failure-reporter.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import type { Relays } from '../relay/relay.js';
import type { Router } from '../routing/router.js';
import type { RequestLog } from './request-log.js';
import type { LoggedRequest } from './request-line.js';

/** The services that requests and tunnels share. */
export interface ProxyServices {
  readonly router: Router;
  readonly relays: Relays;
  readonly reporter: FailureReporter;
  readonly requestLog: RequestLog;
  readonly stats: ProxyStats;
  /** Logs a line per request and tunnel; undefined unless the level is debug. */
  readonly debug?: ProxyLog['debug'] | undefined;
}

/**
 * Counts and logs a failed request, in the log of the program and in the request log.
 *
 * @param target - `host:port`, if it is known and well-formed
 */
export function recordFailure(
  { reporter, requestLog }: Pick<ProxyServices, 'reporter' | 'requestLog'>,
  request: LoggedRequest,
  failure: ProxyFailure,
  target?: string,
): void {
  const { client, method } = request;
  reporter.report(failure, { method, target, client: client.remoteAddress, user: client.user });
  requestLog.ended(request, { failure });
}
