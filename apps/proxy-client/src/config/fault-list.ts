import type { ConfigFault } from './config-error.js';
import type { Place } from './value-reader.js';

/** Collects what is wrong, so that a user sees all of it at once. */
export class FaultList {
  readonly faults: ConfigFault[] = [];

  /** A place in a file, or an environment variable or option that has no keys of its own. */
  place(source: string, key = ''): Place {
    return {
      key,
      complain: (problem) => {
        this.faults.push({ source, ...(key !== '' && { key }), problem });
      },
      child: (name) => this.place(source, key === '' || name.startsWith('[') ? key + name : `${key}.${name}`),
    };
  }
}
