import type { CommitListener, Network } from 'fabric-network';

/** The SDK's list of who listens for commits, which its types keep private. */
interface CommitListeners {
  readonly commitListeners?: Map<CommitListener, unknown>;
}

/**
 * Ends listening for a commit, in every case. When the stream of events has broken, the SDK drops the listener by
 * itself, throws on being told to, and keeps a note of it over which the end of the whole session stumbles too: a write
 * that was found committed then looked like one that failed.
 */
export function stopListening(network: Network, listener: CommitListener): void {
  try {
    network.removeCommitListener(listener);
  } catch {
    (network as unknown as CommitListeners).commitListeners?.delete(listener);
  }
}
