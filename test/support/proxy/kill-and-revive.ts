import { until } from '../until.js';
import type { MortalUpstream } from './mortal-upstream.js';
import type { RunningProxy } from './proxy-program.js';
import type { RequestLoad } from './request-load.js';

/** How many requests end between two blows. */
const BETWEEN = 60;

export interface KillAndRevive {
  readonly proxy: RunningProxy;
  readonly load: RequestLoad;
  /** The members of the group by name, the first of which takes requests as long as it works. */
  readonly members: Readonly<Record<string, MortalUpstream>>;
  /** How often each of them is killed. */
  readonly times: number;
}

/** The state of an upstream on the proxy's admin listener. */
export async function stateOf(proxy: RunningProxy, name: string): Promise<string | undefined> {
  const page = (await (await fetch(`${proxy.admin!}/upstreams`)).json()) as {
    readonly upstreams: readonly { readonly name: string; readonly state: string }[];
  };
  return page.upstreams.find((upstream) => upstream.name === name)?.state;
}

/** Kills the members of a group under load, one after the other, and has each come back before the next. */
export async function killAndRevive({ proxy, load, members, times }: KillAndRevive): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    for (const [name, member] of Object.entries(members)) {
      await load.more(BETWEEN);
      await member.kill();
      await load.more(BETWEEN);
      await until(async () => (await stateOf(proxy, name)) === 'down');
      await member.revive();
      // A check sees it. How soon depends on who else has work for the machine.
      await until(async () => (await stateOf(proxy, name)) === 'up');
      await load.more(BETWEEN);
    }
  }
}
