import type { CommitObservation, LedgerChannel, LedgerLogger } from '#ledger-gateway';
import type { ChainLists, IndexState, SigningOptions, WritingOptions } from '#ledger-gateway/driver';
import type { CallSlots } from '#threads';
import type { FabricTransport, StageLimits } from './fabric-transport.js';
import type { Signers } from './signers.js';

/** Options that both Fabric drivers share. */
export interface FabricLedgerOptions extends SigningOptions, WritingOptions {
  /** The default channel. */
  readonly channel: string;
  /** Other channels of the network. */
  readonly channels?: readonly string[] | undefined;
  readonly chaincode: string;
  readonly limits: StageLimits;
  /** Most in-flight calls; a peer accepts 500 from all its clients by default. Without it there is no limit. */
  readonly maxCalls?: number | undefined;
  readonly onCommit?: ((observation: CommitObservation) => void) | undefined;
  /** Opens what answers the lists of a channel; by default the newest blocks are searched. */
  readonly openIndex?: OpenIndex | undefined;
  readonly logger?: LedgerLogger | undefined;
}

/**
 * Opens the index of a channel.
 * @param scans - answers while the index cannot
 * @param chaincode - whose keys are the assets of the channel; undefined on a channel on which it need not be
 */
export type OpenIndex = (channel: LedgerChannel, scans: ChainLists, chaincode: string | undefined) => ChannelIndex;

/** The index of a channel. */
export interface ChannelIndex extends ChainLists {
  state(): IndexState;
  close(): Promise<void>;
}

/** The connection to a network as one channel uses it: all channels share the transport and the signers. */
export interface FabricNetwork {
  readonly transport: FabricTransport;
  readonly signers: Signers;
  readonly slots: CallSlots;
  /** Aborts when the ledger is closed: refuses every call from then on, and ends every reader of blocks. */
  readonly closed: AbortSignal;
}
