import { type LedgerChannel, LedgerError } from '#ledger-gateway';

/** What operations may need that not every channel can do, with the reason where it cannot. */
const REASONS = {
  assets: 'The channel lists no assets.',
  receipt: 'A receipt needs the signature of a peer, and the data directory contains no keys.',
  authorities: 'The channel states no certificates of its organizations.',
  treeEntries: 'The channel has no entries of a Merkle tree.',
  records:
    'Records are filtered, and read as they were, by an index of the channel (LEDGER_INDEX_DIR), which it lacks.',
  totals: 'The channel has no totals without an index (LEDGER_INDEX_DIR): the whole chain would have to be read.',
} as const;

/** The name of a capability. */
export type Capability = keyof typeof REASONS;

/** All capabilities. */
export const CAPABILITIES = Object.keys(REASONS) as readonly Capability[];

/** The members of a channel that may be absent. */
type Members = Pick<LedgerChannel, Exclude<Capability, 'totals' | 'records'>> &
  Pick<LedgerChannel['lists'], 'totals'> & {
    readonly records?: Pick<Required<LedgerChannel['lists']>, 'records' | 'recordAt'>;
  };

function membersOf({ assets, receipt, authorities, treeEntries, lists }: LedgerChannel): Members {
  const { totals, records, recordAt } = lists;
  return {
    ...(assets && { assets }),
    ...(receipt && { receipt }),
    ...(authorities && { authorities }),
    ...(treeEntries && { treeEntries }),
    ...(totals && { totals }),
    ...(records && recordAt && { records: { records, recordAt } }),
  };
}

/**
 * Returns a capability of a channel.
 * @throws `LEDGER.NOT_SUPPORTED` when the channel does not have it
 */
export function requireCapability<C extends Capability>(channel: LedgerChannel, name: C): NonNullable<Members[C]> {
  const member = membersOf(channel)[name];
  if (member === undefined) throw new LedgerError('LEDGER.NOT_SUPPORTED', REASONS[name]);
  return member;
}

/** Returns what a channel cannot do; its operations answer 501. */
export function missingCapabilities(channel: LedgerChannel): readonly Capability[] {
  const members = membersOf(channel);
  return CAPABILITIES.filter((name) => members[name] === undefined);
}
