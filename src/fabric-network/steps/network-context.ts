import type { FabricRelease } from '../binaries/find-binaries.js';
import type { NetworkLayout } from '../plan/network-layout.js';
import type { NetworkPlan } from '../plan/network-plan.js';
import type { StartedProcess } from '../processes/start-process.js';

/** What every step works with. */
export interface NetworkContext {
  readonly plan: NetworkPlan;
  readonly layout: NetworkLayout;
  readonly release: FabricRelease;
  /** What programs inherit. Fabric's own variables are not in it: they would override the configuration files. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends waiting and running commands. */
  readonly signal: AbortSignal;
  /** Tells the user what was done. */
  readonly progress: (text: string) => void;
  /** Remembers a process, so that it is ended by `down` or when a later step fails. */
  readonly keep: (process: StartedProcess) => void;
}
