import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { discovery, gossip, msp } from '@hyperledger/fabric-protos';
import { STAND_IN_MSP } from './stand-in-identities.js';
import type { PeerNode, StandInNetwork } from './stand-in-network.js';
import { unaryMethod } from './stand-in-faults.js';

/** `discovery.Discovery`: the addresses of peers and orderers, and the endorsers. */
export function discoveryService(node: PeerNode): UntypedServiceImplementation {
  return {
    discover: unaryMethod(node.faults, 'discover', (signed: discovery.SignedRequest) => {
      const request = discovery.Request.deserializeBinary(signed.getPayload_asU8());
      const response = new discovery.Response();
      response.setResultsList(request.getQueriesList().map((query) => answer(node, query)));
      return Promise.resolve(response);
    }),
  };
}

function answer(node: PeerNode, query: discovery.Query): discovery.QueryResult {
  const result = new discovery.QueryResult();
  if (!node.network.chains.has(query.getChannel())) result.setError(refusal('access denied'));
  else if (query.hasConfigQuery()) result.setConfigResult(config(node));
  else if (query.hasCcQuery()) describeEndorsers(node, query, result);
  else result.setMembers(membership(node, query.getChannel()));
  return result;
}

function config({ network }: PeerNode): discovery.ConfigResult {
  const { organisation, orderer } = network;
  const definition = new msp.FabricMSPConfig();
  definition.setName(STAND_IN_MSP);
  definition.setRootCertsList([Buffer.from(organisation.root.certificate)]);
  definition.setTlsRootCertsList([Buffer.from(organisation.tls.root.certificate)]);
  const endpoints = new discovery.Endpoints();
  endpoints.addEndpoint(endpoint(orderer.endpoint));
  const result = new discovery.ConfigResult();
  result.getMspsMap().set(STAND_IN_MSP, definition);
  result.getOrderersMap().set(STAND_IN_MSP, endpoints);
  return result;
}

function endpoint(address: string): discovery.Endpoint {
  const [host = '', port = ''] = address.split(':');
  const made = new discovery.Endpoint();
  made.setHost(host);
  made.setPort(Number(port));
  return made;
}

function membership(node: PeerNode, channel: string): discovery.PeerMembershipResult {
  const result = new discovery.PeerMembershipResult();
  result.getPeersByOrgMap().set(STAND_IN_MSP, servingPeers(node, channel));
  return result;
}

function describeEndorsers(node: PeerNode, query: discovery.Query, result: discovery.QueryResult): void {
  const name = query.getCcQuery()!.getInterestsList()[0]?.getChaincodesList()[0]?.getName() ?? '';
  if (name !== node.network.chaincodeName) {
    result.setError(refusal(`failed constructing descriptor for chaincodes:<name:"${name}" > `));
    return;
  }
  const layout = new discovery.Layout();
  layout.getQuantitiesByGroupMap().set('G0', 1);
  const descriptor = new discovery.EndorsementDescriptor();
  descriptor.setChaincode(name);
  descriptor.getEndorsersByGroupsMap().set('G0', servingPeers(node, query.getChannel()));
  descriptor.setLayoutsList([layout]);
  const found = new discovery.ChaincodeQueryResult();
  found.setContentList([descriptor]);
  result.setCcQueryRes(found);
}

/** Gossip omits peers that are down. */
function servingPeers({ network }: PeerNode, channel: string): discovery.Peers {
  const peers = new discovery.Peers();
  peers.setPeersList(
    network.peers
      .filter(({ isServing }) => isServing)
      .map(({ endpoint: address }) => describePeer(address, network, channel)),
  );
  return peers;
}

function describePeer(address: string, network: StandInNetwork, channel: string): discovery.Peer {
  const member = new gossip.Member();
  member.setEndpoint(address);
  const alive = new gossip.AliveMessage();
  alive.setMembership(member);
  const membershipMessage = new gossip.GossipMessage();
  membershipMessage.setAliveMsg(alive);

  const chaincode = new gossip.Chaincode();
  chaincode.setName(network.chaincodeName);
  chaincode.setVersion('1.0');
  // Peers list it like the chaincodes that are installed.
  const lifecycle = new gossip.Chaincode();
  lifecycle.setName('_lifecycle');
  lifecycle.setVersion('1');
  const properties = new gossip.Properties();
  properties.setLedgerHeight(network.chains.get(channel)?.blocks.length ?? 0);
  properties.setChaincodesList([lifecycle, chaincode]);
  const state = new gossip.StateInfo();
  state.setProperties(properties);
  const stateMessage = new gossip.GossipMessage();
  stateMessage.setStateInfo(state);

  const peer = new discovery.Peer();
  peer.setIdentity(network.organisation.peer.serialized);
  peer.setMembershipInfo(enveloped(membershipMessage));
  peer.setStateInfo(enveloped(stateMessage));
  return peer;
}

function enveloped(message: gossip.GossipMessage): gossip.Envelope {
  const envelope = new gossip.Envelope();
  envelope.setPayload(message.serializeBinary());
  return envelope;
}

function refusal(content: string): discovery.Error {
  const error = new discovery.Error();
  error.setContent(content);
  return error;
}
