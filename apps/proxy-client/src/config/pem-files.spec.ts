import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ThrowawayAuthority } from '../../../../test/support/throwaway-certificates.js';
import type { ConfigError, ConfigFault } from './config-faults.js';
import { loadConfig } from './load-config.js';

/** Labels a certificate as another kind of PEM block. */
const labelled = (pem: string, label: string) => pem.replaceAll(' CERTIFICATE-----', ` ${label}-----`);

describe('files of certificates', () => {
  let directory: string;
  let ca: string;
  let certificate: string;
  let key: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'pem-files-'));
    const authority = await ThrowawayAuthority.create('ca');
    ca = `${authority.root.certificate}\n`;
    const issued = await authority.issue('proxy');
    certificate = `${issued.certificate}\n`;
    key = issued.privateKey;
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  /** Returns the faults of a configuration with these files. */
  const faultsOf = (text: string, pem: string): readonly ConfigFault[] => {
    for (const [name, content] of Object.entries({ 'config.yaml': text, 'c.pem': pem, 'k.pem': key })) {
      writeFileSync(join(directory, name), content);
    }
    try {
      loadConfig({ options: { config: join(directory, 'config.yaml') }, environment: {}, directory });
      return [];
    } catch (error) {
      return (error as ConfigError).faults;
    }
  };
  const LISTENER = 'listen: { port: 1, certificate: c.pem, key: k.pem }';
  const UPSTREAM = 'upstream: { url: "https://h:1", ca: c.pem }';

  /** Returns whether a client that trusts an authority connects, and how many certificates the server sends. */
  const handshake = async (cert: string, authorities: string): Promise<readonly [isTrusted: boolean, sent: number]> => {
    const server = createServer({ cert, key }, (socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({
      port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: authorities,
      rejectUnauthorized: false,
    });
    await once(client, 'secureConnect');
    const hasIssuer = 'issuerCertificate' in client.getPeerCertificate(true);
    const isTrusted = client.authorized;
    client.destroy();
    server.close();
    return [isTrusted, hasIssuer ? 2 : 1];
  };

  it.each(['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE'])(
    'may be labelled %s, as OpenSSL reads them',
    async (label) => {
      const [leaf, root] = [labelled(certificate, label), labelled(ca, label)];
      expect(await handshake(leaf, root)).toEqual([true, expect.any(Number)]);
      expect([faultsOf(LISTENER, leaf), faultsOf(UPSTREAM, root), faultsOf(UPSTREAM, certificate + root)]).toEqual([
        [],
        [],
        [],
      ]);
    },
  );

  it.each(['PRIVATE CERTIFICATE', 'CERTIFICATE REQUEST', 'certificate'])('must not be labelled %s', (label) => {
    for (const [text, keyName] of [
      [LISTENER, 'listen.certificate'],
      [UPSTREAM, 'upstream.ca'],
    ] as const) {
      expect(faultsOf(text, labelled(certificate, label))).toEqual([
        expect.objectContaining({ key: keyName, problem: 'must be a PEM file with certificates' }),
      ]);
    }
  });

  it('have intermediate certificates with the labels that TLS sends', async () => {
    const sent = labelled(ca, 'X509 CERTIFICATE');
    const unsent = labelled(ca, 'TRUSTED CERTIFICATE');
    // The client knows no authority, so that the second certificate can only come from the server.
    const other = (await ThrowawayAuthority.create('other')).root.certificate;
    expect([await handshake(certificate + sent, other), await handshake(certificate + unsent, other)]).toEqual([
      [false, 2],
      [false, 1],
    ]);
    expect(faultsOf(LISTENER, certificate + sent)).toEqual([]);
    expect(faultsOf(LISTENER, certificate + unsent)).toEqual([
      {
        source: join(directory, 'config.yaml'),
        key: 'listen.certificate',
        problem: 'must have no intermediate certificate labelled TRUSTED CERTIFICATE, because TLS would not send it',
      },
    ]);
  });
});
