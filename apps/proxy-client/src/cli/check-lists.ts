import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { SILENT } from '../failure/failure-reporter.js';
import { describeContent, HostLists } from '../routing/lists/host-lists.js';
import { OwnAddresses } from '../routing/rules/own-addresses.js';
import { listsOf } from '../routing/rules/rule.js';
import { ignore, line, parts } from '../upstream/check-upstream.js';
import { Upstreams } from '../upstream/upstreams.js';

/**
 * Loads the lists as a start without copies does, and prints a line for each.
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
  for (const { config: list, content } of listsOf(config)) {
    if (content !== undefined) print(line('list', 'ok', `${list.name}: ${describeContent(content)}`));
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
