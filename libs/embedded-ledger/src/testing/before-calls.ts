import type { Ledger } from '#ledger-gateway';

type Call = 'submit' | 'evaluate';

/**
 * Returns a ledger that runs something before each call.
 * @param run - receives the function, the number of writes so far, and the chaincode
 */
export function beforeCalls(ledger: Ledger, run: (name: Call, writes: number, chaincode?: string) => void): Ledger {
  let writes = 0;
  return new Proxy(ledger, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'submit' && name !== 'evaluate') return (value as (...args: unknown[]) => unknown).bind(target);
      return async (...args: Parameters<Ledger['submit']>) => {
        if (name === 'submit') writes += 1;
        run(name, writes, args[0].chaincode);
        return target[name](...args);
      };
    },
  });
}

/** Returns a ledger that runs something before each write, with its number. */
export function beforeWrites(ledger: Ledger, run: (write: number) => void): Ledger {
  return beforeCalls(ledger, (name, writes) => {
    if (name === 'submit') run(writes);
  });
}
