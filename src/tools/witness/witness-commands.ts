import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { toolCommand } from '#files';
import { type VerifierKey, verifierKeyText, Witness } from '#tlog';
import { notify, print } from '../command-line.js';
import { WitnessDirectory } from './witness-directory.js';
import { createWitnessServer } from './witness-server.js';

interface DirectoryOption {
  /** The directory of all witnesses of this machine. */
  readonly directory: string;
}

interface ServeOptions extends DirectoryOption {
  readonly log: readonly VerifierKey[];
  readonly host: string;
  readonly port: number;
}

/** Creates the key and the state of a witness, and prints its public key. */
export function init(name: string, host: string, { directory }: DirectoryOption): void {
  const key = WitnessDirectory.create(join(directory, name), `${host}/${name}`);
  notify(`Created ${join(directory, name)}. Back it up as a whole and never restore it to an earlier state.`);
  notify(
    `Start it with "${toolCommand('ledger')} witness serve ${name} --log VKEY". Give its public key to those who verify:`,
  );
  print(verifierKeyText(key));
}

/** Serves a witness until the process receives a signal to stop. */
export async function serve(name: string, { directory, log, host, port }: ServeOptions): Promise<void> {
  const files = WitnessDirectory.open(join(directory, name));
  const server = createWitnessServer(new Witness(files.key, log, files), (error) => {
    notify(`A request failed: ${(error as Error).message}`);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  notify(`The witness ${files.key.name} listens at http://${host}:${bound}; its public key:`);
  print(verifierKeyText(files.key));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  await once(server, 'close');
}
