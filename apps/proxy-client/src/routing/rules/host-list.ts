import type { IpAddress, Networks } from './addresses.js';
import type { ListFormat } from './list-formats.js';
import { type FileConfig, LoadedFile } from './loaded-file.js';
import type { NameSet } from './name-set.js';

/** A list as it was read. */
export interface ListContent {
  readonly format: ListFormat;
  readonly names: NameSet;
  readonly exceptions: NameSet;
  readonly networks: Networks;
  /** The number of lines with an entry. */
  readonly used: number;
  /** The number of lines with content that is no entry. */
  readonly unused: number;
  /** The number of the first of them. */
  readonly firstUnused: number | undefined;
}

/** The settings of a list. */
export interface HostListConfig extends FileConfig {
  /** Absent: recognized. */
  readonly format?: ListFormat | undefined;
}

/** A list that a rule refers to. */
export class HostList extends LoadedFile<ListContent, HostListConfig> {
  override get identity(): string {
    const { source, format = 'auto' } = this.config;
    return JSON.stringify([source, format]);
  }

  /** @param name - in lower case as A-labels, without a final dot */
  has(name: string): boolean {
    if (this.content === undefined) return false;
    const { names, exceptions, format } = this.content;
    const listed = names.find(name);
    if (listed === 0) return false;
    const excepted = exceptions.find(name);
    // dnsmasq follows the longest name; elsewhere an exception applies to all of its names.
    return format === 'dnsmasq' ? listed >= excepted : excepted === 0 || listed === Infinity;
  }

  hasAddress(address: IpAddress): boolean {
    return this.content?.networks.has(address) === true;
  }
}
