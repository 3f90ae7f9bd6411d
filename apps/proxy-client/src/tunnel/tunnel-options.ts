import type { Socket } from 'node:net';
import type { ProxyStats } from '#metrics';
import type { FailureReporter, ProxyLog } from '../failure/failure-reporter.js';
import type { Authorize } from '../gate/authorize.js';
import type { SelectUpstream } from '../upstream/upstream.js';
import type { Relays } from './relays.js';

/** What opening a tunnel needs. */
export interface TunnelOptions {
  readonly authorize: Authorize;
  readonly select: SelectUpstream;
  readonly relays: Relays;
  /** A request on this client's connection was found in order and has a target. */
  readonly proxied: (socket: Socket) => void;
  readonly reporter: FailureReporter;
  readonly stats: ProxyStats;
  /** For a line on each tunnel; absent when the level is above debug. */
  readonly debug?: ProxyLog['debug'] | undefined;
}
