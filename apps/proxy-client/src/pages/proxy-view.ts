import type { ProxyStatsSnapshot } from '#metrics';
import type { ConnectionList, ConnectionQuery } from '../activity/live-connections.js';
import type { ListenerMode } from '../config/proxy-client-config.js';
import type { RecentFailure } from '../failure/failure-reporter.js';
import type { PacPage } from '../listener/own-pages.js';
import type { UpstreamsSnapshot } from '../upstream/upstreams.js';
import type { AccessRules } from './access-rules.js';

/** Metrics in the text format of Prometheus. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** A listener for clients, as the pages show it. */
export interface ListenerSnapshot {
  readonly mode: ListenerMode;
  /** The address that it is bound to. */
  readonly host: string;
  readonly port: number;
  /** `host:port`, the target of a tunnel listener. */
  readonly to: string | undefined;
  readonly asksForPassword: boolean;
}

/** The data of the admin pages. The pages run on their own thread, so each method is a remote call (docs/adr/0084). */
export interface ProxyView {
  snapshot(): Promise<ProxyStatsSnapshot>;
  metrics(): Promise<MetricsText>;
  upstreams(): Promise<UpstreamsSnapshot>;
  /** Returns whether an upstream works; may probe it. */
  ready(): Promise<boolean>;
  /** Returns the client connections that carry a request or a tunnel. */
  connections(query: ConnectionQuery): Promise<ConnectionList>;
  /** Ends a connection; returns whether it existed. */
  endConnection(id: string): Promise<boolean>;
  /** Returns the last failures, newest first. */
  failures(): Promise<readonly RecentFailure[]>;
  /**
   * Returns /proxy.pac.
   *
   * @param authority - the Host header of the request
   */
  pac(authority: string | undefined): Promise<PacPage>;
  /** Returns the listeners for clients, in the order of the configuration. */
  listeners(): Promise<readonly ListenerSnapshot[]>;
  /** Returns the time of the last reload, or undefined before the first. */
  reloadedAt(): Promise<Date | undefined>;
}

/** The injection token of the {@link ProxyView}. */
export const PROXY_VIEW = Symbol('ProxyView');

/** The methods of the main thread that the thread of the pages calls. */
export interface MainThread extends ProxyView {
  /** Logs an error of the pages. */
  report(message: string, detail: string): void;
}

/** An address to listen on. */
export interface AdminPlace {
  readonly host: string;
  readonly port: number;
  /** The last port to try; without it only `port` is tried. */
  readonly orUpTo?: number | undefined;
}

/** A bound address. */
export interface AdminAddress {
  readonly address: string;
  readonly port: number;
}

/** The methods of the thread of the pages that the main thread calls. */
export interface PagesThread {
  /** Listens on the first port that is free; returns its address, or the error code. */
  listen(place: AdminPlace, access: AccessRules): Promise<AdminAddress | { readonly code: string }>;
  /** Applies other rules, also to open event streams. */
  setAccess(access: AccessRules): void;
  /** Sends the last event to all event streams, and resolves when they are closed. */
  drain(): Promise<void>;
}
