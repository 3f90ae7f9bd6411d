import type { ConnectionQuery } from '../activity/live-connections.js';
import type { FailureList, Health, ListenerList, LiveConnectionList, Stats, UpstreamList } from '../api/responses.js';
import type { AdminConfig } from '../config/proxy-client-config.js';
import type { PacPage } from '../listener/own-pages.js';
import type { OwnPlace } from '../rules/own-places.js';
import type { AccessRules } from './access-rules.js';
import type { Remote } from './thread-rpc.js';

/** The data of the admin pages, in the form in which they send it. The main thread has this object. */
export interface ProxyView {
  stats(): Stats;
  health(): Health;
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  upstreams(): UpstreamList;
  /** Returns whether an upstream works; may probe it. */
  ready(): Promise<boolean>;
  connections(query: ConnectionQuery): LiveConnectionList;
  /** Ends a connection; returns whether it existed. */
  endConnection(id: string): boolean;
  failures(): FailureList;
  /**
   * Returns /proxy.pac.
   *
   * @param authority - the Host header of the request
   */
  pac(authority: string | undefined): PacPage;
  listeners(): ListenerList;
  /** Returns the time of the last reload, or undefined before the first. */
  reloadedAt(): Date | undefined;
  /** Logs an error of the pages. */
  report(message: string, detail: string): void;
}

/** The {@link ProxyView} on the thread of the pages, where each method is a remote call (docs/adr/0084). */
export type RemoteView = Remote<ProxyView>;

/** The injection token of the {@link RemoteView}. */
export const PROXY_VIEW = Symbol('ProxyView');

/** Where to listen: on the first free port up to `orUpTo`, or on `port` only. */
export type AdminPlace = Pick<AdminConfig, 'host' | 'port' | 'orUpTo'>;

/** The methods of the thread of the pages that the main thread calls. */
export interface PagesThread {
  /** Listens on the first port that is free; returns its address, or the error code. */
  listen(place: AdminPlace, access: AccessRules): Promise<OwnPlace | { readonly code: string }>;
  /** Applies other rules, also to open event streams. */
  setAccess(access: AccessRules): void;
  /** Sends the last event to all event streams, and resolves when they are closed. */
  drain(): Promise<void>;
}
