// A real OpenID Connect issuer for tests, and for trying tokens out: `node test/support/oidc-issuer.ts [PORT]` (Node from
// 22.18 on runs TypeScript as it is).
import { generateKeyPair, exportJWK } from 'jose';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type JWK } from 'oidc-provider';

/** The audience of the tokens, as in LEDGER_JWT_AUDIENCE. */
export const AUDIENCE = 'https://ledger.example';
const SECRET = 'a secret that only tests know';
const SCOPES = ['ledger:read', 'ledger:write', 'ledger:admin'];

/** How tokens are signed. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

export interface IssuerOptions {
  readonly port?: number;
  readonly algorithm?: SigningAlgorithm;
  /** Seconds for which tokens are good. */
  readonly lifetime?: number;
  /** The same for clients whose tokens are good for another time. */
  readonly lifetimes?: Readonly<Record<string, number>>;
  /** Clients, each of which is the subject of its tokens. */
  readonly clients?: readonly string[];
  /** Claims in addition to the usual ones, by client. */
  readonly claims?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An issuer on loopback whose clients get tokens with their own credentials (RFC 6749, section 4.4). */
export class OidcIssuer {
  readonly url: string;
  readonly #options: IssuerOptions;
  readonly #server: Server;
  /** The newest first. */
  #keys: JWK[] = [];
  #handle: RequestListener;

  private constructor(server: Server, options: IssuerOptions) {
    this.#server = server;
    this.#options = options;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#handle = (_, response) => response.writeHead(503).end();
    server.on('request', (request, response) => {
      this.#handle(request, response);
    });
  }

  static async start(options: IssuerOptions = {}): Promise<OidcIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
    const issuer = new OidcIssuer(server, options);
    await issuer.rotate();
    return issuer;
  }

  /** Signs with a new key from now on; previous ones can still be fetched, unless they are to be forgotten. */
  async rotate({ forget = false }: { readonly forget?: boolean } = {}): Promise<void> {
    const { algorithm = 'RS256' } = this.#options;
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const key = { ...(await exportJWK(privateKey)), alg: algorithm, use: 'sig' } as JWK;
    this.#keys = [key, ...(forget ? [] : this.#keys)];
    const answer = this.#provider().callback();
    this.#handle = (request, response) => void answer(request, response);
  }

  /** A token as the issuer issues it to a client. */
  async token(client: string, scope = ''): Promise<string> {
    const answer = await fetch(`${this.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client,
        client_secret: SECRET,
        resource: AUDIENCE,
        ...(scope === '' ? {} : { scope }),
      }),
    });
    if (!answer.ok) throw new Error(`the issuer answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  /** Ends it: nothing answers at its address any more. */
  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  #provider(): Provider {
    const { algorithm = 'RS256', lifetime = 3600, lifetimes = {}, claims = {} } = this.#options;
    const { clients = ['alice', 'bob', 'ci'] } = this.#options;
    return new Provider(this.url, {
      jwks: { keys: this.#keys },
      clients: clients.map((id) => ({
        client_id: id,
        client_secret: SECRET,
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: algorithm,
      })),
      scopes: SCOPES,
      enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256', 'EdDSA'] },
      extraTokenClaims: (_, { clientId = '' }) => claims[clientId],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_, __, { clientId }) => ({
            audience: AUDIENCE,
            scope: SCOPES.join(' '),
            accessTokenFormat: 'jwt',
            accessTokenTTL: lifetimes[clientId] ?? lifetime,
            jwt: { sign: { alg: algorithm } },
          }),
        },
      },
    });
  }
}

if (import.meta.main) {
  const issuer = await OidcIssuer.start({ port: Number(process.argv[2] ?? 0) });
  console.log(`LEDGER_JWT_ISSUER=${issuer.url}`);
  console.log(`LEDGER_JWT_AUDIENCE=${AUDIENCE}`);
  console.log('A token for alice:');
  console.log(`curl -s ${issuer.url}/token -d grant_type=client_credentials -d client_id=alice \\
  -d 'client_secret=${SECRET}' -d resource=${AUDIENCE} -d scope=ledger:write`);
}
