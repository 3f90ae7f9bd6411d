import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { Target } from '../http/authority.js';
import { SILENT } from '../failure/failure-reporter.js';
import { filesOf } from '../routing/lists/files-of.js';
import { describeContent, HostLists } from '../routing/lists/host-lists.js';
import { HostList } from '../routing/rules/host-list.js';
import { OwnAddresses } from '../routing/rules/own-addresses.js';
import { ignore, line, parts } from '../upstream/check-upstream.js';
import { explainPac } from '../upstream/pac-upstream.js';
import { Upstreams } from '../upstream/upstreams.js';

/**
 * Loads the lists and PAC scripts as a start without copies does, and prints a line for each.
 *
 * @throws {@link ConfigError} with the lists that cannot be loaded
 */
export async function checkLists(config: ProxyClientConfig, print: (line: string) => void): Promise<void> {
  const own = new OwnAddresses([], [], () => []);
  const upstreams = new Upstreams(config, { ...parts(), logger: SILENT, own: () => own, reportDefect: ignore });
  try {
    await new HostLists({ logger: SILENT }).load(config, (name) => upstreams.find(name));
  } finally {
    upstreams.close();
  }
  for (const file of filesOf(config)) {
    const { name } = file.config;
    if (!(file instanceof HostList)) print(line('pac', 'ok', `${name}: loaded`));
    else if (file.content !== undefined) print(line('list', 'ok', `${name}: ${describeContent(file.content)}`));
  }
}

/**
 * Loads the lists without their servers, for commands that open no connection.
 *
 * @throws {@link ConfigError} with the files that cannot be loaded
 */
export async function loadLocalLists(config: ProxyClientConfig): Promise<void> {
  await new HostLists({ logger: SILENT, copies: config.copies }).loadLocal(config);
}

/** Returns the lines of --explain about the PAC script that a route leads to. */
export async function explainScript(
  config: ProxyClientConfig,
  upstream: string | null,
  target: Target,
): Promise<readonly string[]> {
  const own = new OwnAddresses([], [], () => []);
  const upstreams = new Upstreams(config, { ...parts(), logger: SILENT, own: () => own, reportDefect: ignore });
  try {
    return (await explainPac(upstreams.script(upstream ?? ''), target)).lines;
  } finally {
    upstreams.close();
  }
}
