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

interface UpstreamState {
  readonly name: string;
  readonly state: string;
  readonly checked_at: string | null;
}

/** The state of an upstream on the proxy's admin listener. */
export async function stateOf(proxy: RunningProxy, name: string): Promise<string | undefined> {
  return (await upstream(proxy, name))?.state;
}

async function upstream(proxy: RunningProxy, name: string): Promise<UpstreamState | undefined> {
  const page = (await (await fetch(`${proxy.admin!}/upstreams`)).json()) as {
    readonly upstreams: readonly UpstreamState[];
  };
  return page.upstreams.find((each) => each.name === name);
}

/**
 * Kills the members of a group under load, one after the other, and has each come back before the next. No request lives to
 * see two of them die: on a busy machine one may take longer than a blow, and a request that finds both dead is lost rightly.
 */
export async function killAndRevive({ proxy, load, members, times }: KillAndRevive): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    for (const [name, member] of Object.entries(members)) {
      await load.more(BETWEEN);
      await member.kill();
      await load.more(BETWEEN);
      await until(async () => (await stateOf(proxy, name)) === 'down');
      await member.revive();
      await backByTheNextCheck(proxy, name);
      await load.more(BETWEEN);
      await load.begun();
    }
  }
}

/** Counted in checks instead of milliseconds: how soon one begins depends on who else has work for the machine. */
async function backByTheNextCheck(proxy: RunningProxy, name: string): Promise<void> {
  const checks = new Set<string | null | undefined>();
  await until(async () => {
    const found = await upstream(proxy, name);
    if (found?.state === 'up') return true;
    checks.add(found?.checked_at);
    // The last one before it was back, one that was in flight then, and the one that has to see it.
    if (checks.size > 2) throw new Error(`${name} is ${found?.state} after a check that began when it was back`);
    return false;
  });
}
