import { FabricNetworkError } from '../errors/fabric-network.error.js';
import { LOOPBACK } from '../plan/network-ports.js';
import { isListening } from '../processes/is-listening.js';
import { endedEarly, startProcess, type StartedProcess } from '../processes/start-process.js';
import { waitUntil } from '../processes/wait-until.js';
import { startCommand, type NetworkComponent } from './network-components.js';
import type { NetworkContext } from './network-context.js';

/** A chaincode that npm has to start takes its time. */
const READY_MS = 30_000;

/**
 * Starts the components together and waits until each listens.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.PROCESS_ENDED, FABRIC_NETWORK.NOT_READY
 */
export async function startComponents(
  components: readonly NetworkComponent[],
  context: NetworkContext,
  chaincodeId: string,
): Promise<void> {
  // Started one by one, so that whatever was started is remembered before something can fail.
  const started: StartedProcess[] = [];
  for (const { name } of components) {
    const log = context.layout.log(name);
    const process = await startProcess({ name, ...startCommand(name, context, chaincodeId), log });
    context.keep(process);
    started.push(process);
  }
  await Promise.all(
    components.map(async (component, index) => {
      const process = started[index];
      if (process !== undefined) await waitUntilReady(component, process, context);
    }),
  );
}

async function waitUntilReady(
  { name, ports }: NetworkComponent,
  process: StartedProcess,
  { plan, progress, signal }: NetworkContext,
): Promise<void> {
  for (const port of ports.map((portName) => plan.ports[portName])) {
    const ready = await waitUntil(() => isReady(port, process), { timeoutMs: READY_MS, signal });
    if (ready === undefined) {
      throw new FabricNetworkError(
        'FABRIC_NETWORK.NOT_READY',
        `the ${name} does not listen on ${LOOPBACK}:${port} after ${READY_MS / 1000} s: see ${process.log}`,
      );
    }
  }
  progress(`${name} listens on ${ports.map((portName) => `${LOOPBACK}:${plan.ports[portName]}`).join(' and ')}`);
}

async function isReady(port: number, process: StartedProcess): Promise<true | undefined> {
  const listening = await isListening(port);
  if (process.ending() !== undefined) throw endedEarly(process, `before it listened on ${LOOPBACK}:${port}`);
  return listening || undefined;
}
