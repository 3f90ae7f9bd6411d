import type { BlockListener, Network, Transaction } from 'fabric-network';
import { encodePayload, type Endorsement, serializeIdentity } from '#fabric-codec/encode';
import { type Decoded, decodeMessage, Header, Proposal } from '#fabric-codec/messages';
import { isLedgerError, LedgerError } from '#ledger-gateway';
import { argumentBytes } from '#ledger-gateway/driver';
import { isSuccessful, requireSigner } from '../driver/call-errors.js';
import { ChainQueries, QUERY_CHAINCODE } from '../driver/chain.js';
import type {
  FabricCall,
  FabricTransport,
  GivenId,
  RecordedTransaction,
  StageLimits,
  SubmitTerms,
} from '../driver/fabric-transport.js';
import { ORDERER_CACHE_MS } from '../driver/refused-envelope.js';
import type { SigningIdentity } from '../driver/signing-identity.js';
import { isWithin } from '../driver/waiting.js';
import { CommitWatch, requireOrderer, requireServed } from './commit-watch.js';
import { isRefusedByOrderer, uncommittedError } from './network-errors.js';
import type { NetworkSession, NetworkSessions } from './network-sessions.js';

// The types of fabric-common, through the package that depends on it.
type Channel = ReturnType<Network['getChannel']>;
type ProposalResponse = Awaited<ReturnType<ReturnType<Channel['newEndorsement']>['send']>>;

/** Calls through fabric-network, which finds the endorsers by discovery and submits to the orderers itself. */
export class NetworkTransport implements FabricTransport {
  readonly driver = 'fabric';
  readonly #sessions: NetworkSessions;
  /** The peers of the connection profile, for messages. */
  readonly #peers: string;
  readonly #limits: StageLimits;
  /** By the names of the channels: until when a response of an orderer counts. */
  readonly #servedUntil = new Map<string, number>();

  constructor(sessions: NetworkSessions, peers: string, limits: StageLimits) {
    this.#sessions = sessions;
    this.#peers = peers;
    this.#limits = limits;
  }

  evaluate(call: FabricCall): Promise<Uint8Array> {
    const { endorsingOrganizations } = call;
    return this.#inSession(call, async (network, session) => {
      const { identity } = session;
      if (endorsingOrganizations === undefined)
        return transactionOf(network, call, identity).evaluate(...sdkArguments(call));
      // The SDK evaluates on peers of the own organization only.
      const target = { session, organizations: endorsingOrganizations, requestTimeout: this.#limits.evaluate };
      return (await endorsedBy(call, network.getChannel(), target)).result;
    });
  }

  submit(call: FabricCall, { id, onStage, onAccepted }: SubmitTerms): Promise<RecordedTransaction> {
    return this.#inSession(call, async (network, session) => {
      const { identity } = session;
      const transaction = transactionOf(network, call, identity, id);
      const lookUp = (): ReturnType<ChainQueries['transactionById']> =>
        this.#queries(call.channel).transactionById(transaction.getTransactionId());
      const { commit: commitLimit } = this.#limits;
      const watched = { network, transaction, mspId: identity.mspId, commitLimit, lookUp };
      const watch = new CommitWatch({ ...watched, onStage, onAccepted });
      const recorded = await watch.submit(sdkArguments(call)).catch(async (error: unknown) => {
        // The SDK does not report why.
        if (!isRefusedByOrderer(error)) throw error;
        this.#servedUntil.delete(call.channel);
        await requireServed(network.getChannel(), this.#limits.submit);
        throw error;
      });
      if (watch.missedEvents) this.#sessions.replace(session);
      return recorded;
    });
  }

  attest(call: FabricCall): Promise<Uint8Array> {
    return this.#inSession(call, async (network, session) => {
      const { mspId } = session.identity;
      const target = { session, organizations: [mspId], requestTimeout: this.#limits.endorse };
      const { proposal, responsePayload, endorsement } = await endorsedBy(call, network.getChannel(), target);
      const signed = { ...decodeMessage(Header, proposal.header), chaincodePayload: proposal.payload };
      return encodePayload(signed, responsePayload, [endorsement]);
    });
  }

  /** Does not detect an orderer that hangs or has no quorum. */
  ordering(channel: string): Promise<void> {
    const service = { channel, chaincode: QUERY_CHAINCODE };
    return this.#inSession(service, async (network) => {
      await requireOrderer(network.getChannel());
      if (Date.now() < (this.#servedUntil.get(channel) ?? 0)) return;
      await requireServed(network.getChannel(), this.#limits.submit);
      this.#servedUntil.set(channel, Date.now() + ORDERER_CACHE_MS);
    });
  }

  async *blocks(channel: string, startBlock: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const session = await this.#sessions.acquire(undefined);
    try {
      const network = await session.network(channel);
      yield* networkBlocks(network, this.#queries(channel), startBlock, signal);
    } catch (error) {
      throw this.#failure(error, { channel, chaincode: QUERY_CHAINCODE }, session);
    } finally {
      this.#sessions.release(session);
    }
  }

  close(): void {
    this.#sessions.close();
  }

  #queries(channel: string): ChainQueries {
    return new ChainQueries(channel, (chaincode, call) => this.evaluate({ ...call, channel, chaincode }));
  }

  /** Runs work in the caller's session, and replaces the session when the network is unreachable in it. */
  async #inSession<T>(
    call: Pick<FabricCall, 'channel' | 'chaincode' | 'caller'>,
    work: (network: Network, session: NetworkSession) => Promise<T>,
  ): Promise<T> {
    const session = await this.#sessions.acquire(call.caller);
    try {
      return await work(await session.network(call.channel), session);
    } catch (error) {
      throw this.#failure(error, call, session);
    } finally {
      this.#sessions.release(session);
    }
  }

  #failure(
    error: unknown,
    { channel, chaincode }: Pick<FabricCall, 'channel' | 'chaincode'>,
    session: NetworkSession,
  ): Error {
    const identity = session.identity.description;
    const failure = uncommittedError(error, { channel, chaincode, endpoint: this.#peers, identity });
    if (isLedgerError(failure, 'LEDGER.UNAVAILABLE')) this.#sessions.replace(session);
    return failure;
  }
}

/**
 * Creates the transaction of a call.
 * @param id - the transaction's; without it the SDK creates one
 * @throws `LEDGER.CONFLICT` with the fault `signer-replaced` when the id was made for another identity
 */
function transactionOf(network: Network, call: FabricCall, identity: SigningIdentity, id?: GivenId): Transaction {
  const { transient, endorsingOrganizations = [] } = call;
  const transaction = emptyTransaction(network, call, identity, id);
  if (transient !== undefined) transaction.setTransient(transientMap(transient));
  if (endorsingOrganizations.length > 0) transaction.setEndorsingOrganizations(...endorsingOrganizations);
  return transaction;
}

function emptyTransaction(network: Network, call: FabricCall, identity: SigningIdentity, id?: GivenId): Transaction {
  const contract = network.getContract(call.chaincode);
  if (id === undefined) return contract.createTransaction(call.function);
  requireSigner(serializeIdentity(identity.mspId, Buffer.from(identity.certificate)), id);
  const { nonce, transactionId } = id;
  const state = { name: call.function, nonce: Buffer.from(nonce).toString('base64'), transactionId };
  return contract.deserializeTransaction(Buffer.from(JSON.stringify(state)));
}

/**
 * Returns the arguments in the form of the SDK. Its type declarations know texts only, and the code Buffers too; any other
 * array of bytes would become the text of its numbers.
 */
function sdkArguments({ arguments: args }: FabricCall): string[] {
  return args.map(argumentBytes) as unknown as string[];
}

function transientMap(transient: ReadonlyMap<string, Uint8Array>): Record<string, Buffer> {
  return Object.fromEntries(Array.from(transient, ([key, value]) => [key, Buffer.from(value)]));
}

/** A call that a peer endorsed. */
interface EndorsedCall {
  readonly proposal: Decoded<typeof Proposal>;
  /** What the function returned. */
  readonly result: Uint8Array;
  /** The serialized `protos.ProposalResponsePayload`. */
  readonly responsePayload: Uint8Array;
  readonly endorsement: Endorsement;
}

/**
 * Lets one peer of given organizations endorse a call, with the part of the SDK below its gateway, which would order it too.
 * @throws an error with the peers' responses, like the SDK's; `LEDGER.UNAVAILABLE` when there is no peer
 */
async function endorsedBy(
  call: FabricCall,
  channel: Channel,
  target: Readonly<{ session: NetworkSession; organizations: readonly string[]; requestTimeout: number }>,
): Promise<EndorsedCall> {
  const { chaincode, function: name, transient = new Map() } = call;
  const { session, organizations, requestTimeout } = target;
  const signer = await session.identityContext(channel);
  const endorsement = channel.newEndorsement(chaincode);
  const request = { fcn: name, args: sdkArguments(call), transientMap: transientMap(transient) };
  const proposal = decodeMessage(Proposal, endorsement.build(signer, request));
  endorsement.sign(signer);
  let answers: ProposalResponse | undefined;
  for (const peer of organizations.flatMap((mspId) => channel.getEndorsers(mspId))) {
    answers = await endorsement.send({ targets: [peer], requestTimeout });
    const [answer] = answers.responses;
    if (answer?.endorsement === undefined || !isSuccessful(answer.response.status)) continue;
    const { response, payload: responsePayload, endorsement: endorsed } = answer;
    return { proposal, result: response.payload, responsePayload, endorsement: endorsed };
  }
  if (answers === undefined) {
    throw new Error(
      `The discovery service did not find any peers active for ${organizations.join(', ')} organizations`,
    );
  }
  const { errors, responses } = answers;
  const texts = [...errors.map(({ message }) => message), ...responses.map(({ response }) => response.message)];
  throw Object.assign(new Error(`No peer endorsed the call: ${texts.join('; ')}`), { errors, responses });
}

/** The chain's height is queried when no event arrived for this time. */
const QUIET_MS = 5000;

/**
 * Yields serialized blocks as the chain grows. Events only signal a new block, which is then read, because a block that the
 * SDK has decoded cannot be re-encoded byte for byte. Ends when the peer that is queried does not have the block yet.
 * @throws `LEDGER.UNAVAILABLE` when the chain has grown without an event
 */
async function* networkBlocks(
  network: Network,
  queries: ChainQueries,
  startBlock: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  let height = 0;
  let woken = Promise.withResolvers<undefined>();
  const wake = (): void => {
    woken.resolve(undefined);
    woken = Promise.withResolvers();
  };
  const listener: BlockListener = (event) => {
    height = Math.max(height, event.blockNumber.toNumber() + 1);
    wake();
    return Promise.resolve();
  };
  signal.addEventListener('abort', wake, { once: true });
  await network.addBlockListener(listener, { type: 'filtered' });
  try {
    ({ height } = await queries.chainInfo());
    for (let next = startBlock; !signal.aborted;) {
      if (next < height) {
        const block = await queries.blockByNumber(next++);
        if (block === undefined) return;
        yield block.bytes;
      } else if (!(await isWithin(QUIET_MS, woken.promise))) {
        const { height: present } = await queries.chainInfo();
        if (present > height) {
          const text = `No more events arrive, although the chain has ${present} blocks.`;
          throw new LedgerError('LEDGER.UNAVAILABLE', text);
        }
      }
    }
  } finally {
    network.removeBlockListener(listener);
    signal.removeEventListener('abort', wake);
  }
}
