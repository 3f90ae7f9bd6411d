import { type LedgerChannel, LedgerError } from '#ledger-gateway';

/** Returns the number of the first block that a peer has: those that were started from a snapshot lack the older ones. */
export async function firstBlock(source: Pick<LedgerChannel, 'chainInfo' | 'blockByNumber'>): Promise<number> {
  const { height } = await source.chainInfo();
  const has = async (number: number): Promise<boolean> => {
    try {
      return (await source.blockByNumber(number)) !== undefined;
    } catch (error) {
      if (number === height - 1 || !(error instanceof LedgerError) || isTransient(error)) throw error;
      return false;
    }
  };
  if (await has(0)) return 0;
  await has(height - 1);
  let [lacks, present] = [0, height - 1];
  while (present - lacks > 1) {
    const middle = Math.floor((lacks + present) / 2);
    if (await has(middle)) present = middle;
    else lacks = middle;
  }
  return present;
}

function isTransient(error: LedgerError): boolean {
  return ['LEDGER.UNAVAILABLE', 'LEDGER.TIMEOUT', 'LEDGER.OVERLOADED'].includes(error.code);
}
