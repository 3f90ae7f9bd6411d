import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FabricStandIn, type FabricStandInOptions } from './fabric-stand-in.js';
import { STAND_IN_MSP, type StandInSigner } from './stand-in-identities.js';

/** A network, and the files with which a driver connects to it. */
export interface StandInSetting {
  readonly network: FabricStandIn;
  /**
   * The wallet, with `User1.id`; `cert.pem` and `key.pem` of the same identity; `tls.pem`, `client.pem` and
   * `client.key.pem`; the connection profile `profile.json`.
   */
  readonly directory: string;
  /** Writes the identity that the ledger reads. */
  readonly useIdentity: (signer: StandInSigner) => void;
  /** Adds a caller's identity to the wallet. */
  readonly addCaller: (name: string, signer: StandInSigner) => void;
  /** Stops the network and removes the directory. */
  readonly dispose: () => unknown;
}

/** Starts a network and writes the files, for programs that connect to it themselves. No driver is loaded here. */
export async function startStandIn(options: FabricStandInOptions = {}): Promise<StandInSetting> {
  const network = await FabricStandIn.start(options);
  const directory = mkdtempSync(join(tmpdir(), 'fabric-'));
  const write = (name: string, text: string): void => {
    writeFileSync(join(directory, name), text);
  };
  const addCaller = (name: string, { certificate, privateKey }: StandInSigner): void => {
    const identity = { credentials: { certificate, privateKey }, mspId: STAND_IN_MSP, type: 'X.509', version: 1 };
    write(`${name}.id`, JSON.stringify(identity));
  };
  const useIdentity = (signer: StandInSigner): void => {
    addCaller('User1', signer);
    write('key.pem', signer.privateKey);
    write('cert.pem', signer.certificate);
  };
  const { client, tls } = network.organisation;
  useIdentity(client);
  write('tls.pem', tls.root.certificate);
  write('client.pem', tls.client.certificate);
  write('client.key.pem', tls.client.privateKey);
  write('profile.json', JSON.stringify(connectionProfile(network, options.transport)));
  const dispose = (): void => {
    network.stop();
    rmSync(directory, { recursive: true });
  };
  return { network, directory, useIdentity, addCaller, dispose };
}

function connectionProfile(network: FabricStandIn, transport: FabricStandInOptions['transport'] = 'clear') {
  const scheme = transport === 'clear' ? 'grpc' : 'grpcs';
  const names = network.peers.map(({ endpoint }) => endpoint);
  const pem = network.organisation.tls.root.certificate;
  return {
    name: 'stand-in',
    version: '1.0.0',
    client: { organization: 'Org1' },
    organizations: { Org1: { mspid: STAND_IN_MSP, peers: names } },
    peers: Object.fromEntries(names.map((name) => [name, { url: `${scheme}://${name}`, tlsCACerts: { pem } }])),
  };
}
