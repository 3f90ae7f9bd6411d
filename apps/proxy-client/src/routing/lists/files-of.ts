import type { ProxyClientConfig } from '../../config/proxy-client-config.js';
import type { HostList } from '../rules/host-list.js';
import type { PacFile } from '../rules/loaded-file.js';
import { listsOf } from '../rules/rule.js';

/** A list or a PAC script. */
export type AnyFile = HostList | PacFile;

/** The parts of a configuration that refer to files. */
export type FilesConfig = Pick<ProxyClientConfig, 'rules' | 'upstreams'>;

/** Returns the lists and scripts of a configuration. */
export function filesOf(config: FilesConfig): readonly AnyFile[] {
  return [...listsOf(config), ...config.upstreams.flatMap((each) => (each.kind === 'pac' ? [each.file] : []))];
}
