import { Wallets, type IdentityProvider } from 'fabric-network';
import type { SigningIdentity } from '../../fabric-client/signing-identity.js';

/** The SDK's own provider of X.509 identities, which it gives through a wallet only. */
async function sdkProvider(): Promise<IdentityProvider> {
  const wallet = await Wallets.newInMemoryWallet();
  return wallet.getProviderRegistry().getProvider('X.509');
}

/** The SDK's provider of X.509 identities, whose users sign by {@link SigningIdentity.sign}. */
export async function nativeIdentityProvider({ sign }: Pick<SigningIdentity, 'sign'>): Promise<IdentityProvider> {
  const provider = await sdkProvider();
  return {
    type: provider.type,
    getCryptoSuite: () => provider.getCryptoSuite(),
    fromJson: (data) => provider.fromJson(data),
    toJson: (identity) => provider.toJson(identity),
    getUserContext: async (identity, name) => {
      const user = await provider.getUserContext(identity, name);
      // The CA's client hands over texts.
      user.getSigningIdentity().sign = (message) => Buffer.from(sign(Buffer.from(message)));
      return user;
    },
  };
}
