import { lookup } from 'node:dns';
import { connect, isIP, type LookupFunction, Socket } from 'node:net';
import type { HostAndPort } from './own-address.js';
import { TargetRefusedError } from './reply-of-error.js';

/** Whether the target, its host resolved to an address, may not be connected to. */
export type RefuseTarget = (target: HostAndPort) => boolean;

/** Resolves a name and leaves out the addresses that are refused, so that no name leads around the rule. */
function filteredLookup(port: number, refuse: RefuseTarget): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = error === null ? addresses.filter(({ address }) => !refuse({ host: address, port })) : [];
      const [first] = allowed;
      if (first === undefined) {
        callback(error ?? new TargetRefusedError(), []);
      } else if (options.all === true) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

/** Begins a direct connection to the target; refused ones end with a {@link TargetRefusedError}. */
export function dialTarget({ host, port }: HostAndPort, refuse: RefuseTarget): Socket {
  // Addresses are not looked up, so the filter does not see them.
  if (isIP(host) !== 0 && refuse({ host, port })) {
    return new Socket().destroy(new TargetRefusedError());
  }
  return connect({ host, port, allowHalfOpen: true, noDelay: true, lookup: filteredLookup(port, refuse) });
}
