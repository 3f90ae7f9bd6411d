import type { Network } from 'fabric-network';
import { UnavailableError } from '../../errors/ledger.errors.js';

/**
 * Connects to the channel's orderers where that is not done yet.
 * @throws {@link UnavailableError} when none can be reached
 */
export async function requireOrderer(channel: ReturnType<Network['getChannel']>): Promise<void> {
  const orderers = channel.getCommitters();
  const connected = await Promise.all(orderers.map((orderer) => orderer.checkConnection()));
  if (connected.includes(true)) return;
  const names = orderers.map(({ name }) => name).join(', ');
  throw new UnavailableError(`No orderer can be reached${names === '' ? '' : `: ${names}`}.`);
}
