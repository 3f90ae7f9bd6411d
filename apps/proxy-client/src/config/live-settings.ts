import type { ProxyClientConfig, Timeouts } from './proxy-client-config.js';

type Settings = Pick<ProxyClientConfig, 'timeouts' | 'limits' | 'pool' | 'via' | 'logLevel'>;

/**
 * The current settings. A reload changes them in place, so that open connections follow the new limits without being
 * notified.
 */
export class LiveSettings implements Settings {
  readonly timeouts: Timeouts;
  readonly limits: ProxyClientConfig['limits'];
  readonly pool: ProxyClientConfig['pool'];
  /** The timeouts of relays. */
  readonly relays: { readonly write: number; readonly idle: number };
  via: boolean;
  logLevel: ProxyClientConfig['logLevel'];

  constructor(config: Settings) {
    this.timeouts = { ...config.timeouts };
    this.limits = { ...config.limits };
    this.pool = { ...config.pool };
    this.relays = relayLimits(config);
    this.via = config.via;
    this.logLevel = config.logLevel;
  }

  change(config: Settings): void {
    Object.assign(this.timeouts, config.timeouts);
    Object.assign(this.limits, config.limits);
    Object.assign(this.pool, config.pool);
    Object.assign(this.relays, relayLimits(config));
    this.via = config.via;
    this.logLevel = config.logLevel;
  }
}

function relayLimits({ timeouts }: Settings): LiveSettings['relays'] {
  return { write: timeouts.write, idle: timeouts.tunnelIdle };
}
