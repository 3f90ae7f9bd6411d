import type { KeyObject } from 'node:crypto';
import { Wallets, type IdentityProvider } from 'fabric-network';
import { signNatively, signsNatively } from '../../fabric-client/native-signature.js';

/**
 * The SDK's provider of X.509 identities, whose users sign by OpenSSL where the kind of their key allows it.
 * @param privateKey of the one identity that the provider is for
 */
export async function nativeIdentityProvider(privateKey: KeyObject): Promise<IdentityProvider> {
  const wallet = await Wallets.newInMemoryWallet();
  const provider = wallet.getProviderRegistry().getProvider('X.509');
  if (!signsNatively(privateKey)) return provider;
  return {
    type: provider.type,
    getCryptoSuite: () => provider.getCryptoSuite(),
    fromJson: (data) => provider.fromJson(data),
    toJson: (identity) => provider.toJson(identity),
    getUserContext: async (identity, name) => {
      const user = await provider.getUserContext(identity, name);
      user.getSigningIdentity().sign = (message) => Buffer.from(signNatively(message, privateKey));
      return user;
    },
  };
}
