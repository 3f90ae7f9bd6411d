import type { Network } from 'fabric-network';
import { LedgerError } from '../../errors/ledger.errors.js';
import { decodeMessage } from '../../fabric-blocks/messages/decode-message.js';
import { Header, Proposal } from '../../fabric-blocks/messages/fabric-messages.js';
import { encodePayload } from '../../fabric-blocks/encode/transaction-encoder.js';
import type { FabricCall } from '../../fabric-client/fabric-transport.js';

// The types of fabric-common, by way of the package that brings it.
type Channel = ReturnType<Network['getChannel']>;
type Endorsement = ReturnType<Channel['newEndorsement']>;
type ProposalResponse = Awaited<ReturnType<Endorsement['send']>>;
/** What signs proposals. */
export type IdentityContext = ReturnType<Channel['client']['newIdentityContext']>;

/** Who is asked, and for how long each. */
interface Asked {
  readonly peers: ReturnType<Channel['getEndorsers']>;
  /** Milliseconds. */
  readonly limit: number;
}

/**
 * Has one of the peers endorse a call, by the part of the SDK below its gateway, which would order it too.
 * @returns message `common.Payload`, as a transaction of it would hold it
 * @throws an error with the peers' answers, as the SDK's own are; `LEDGER.UNAVAILABLE` when there is no peer to ask
 */
export async function endorsedAnswer(
  { function: name, arguments: args }: FabricCall,
  endorsement: Endorsement,
  signer: IdentityContext,
  { peers, limit }: Asked,
): Promise<Uint8Array> {
  const proposal = endorsement.build(signer, { fcn: name, args: [...args] });
  endorsement.sign(signer);
  let answers: ProposalResponse | undefined;
  for (const peer of peers) {
    answers = await endorsement.send({ targets: [peer], requestTimeout: limit });
    const [response] = answers.responses;
    if (response?.endorsement !== undefined) return payloadOf(proposal, response.payload, response.endorsement);
  }
  if (answers === undefined)
    throw new LedgerError('LEDGER.UNAVAILABLE', 'No peer of the own organisation is known that could be asked.');
  const { errors, responses } = answers;
  const texts = [...errors.map(({ message }) => message), ...responses.map(({ response }) => response.message)];
  throw Object.assign(new Error(`No peer endorsed the answer: ${texts.join('; ')}`), { errors, responses });
}

function payloadOf(
  bytes: Uint8Array,
  response: Uint8Array,
  endorsement: { readonly endorser: Uint8Array; readonly signature: Uint8Array },
): Uint8Array {
  const { header, payload } = decodeMessage(Proposal, bytes);
  return encodePayload({ ...decodeMessage(Header, header), chaincodePayload: payload }, response, [endorsement]);
}
