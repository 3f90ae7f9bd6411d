import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILDAH, Images, runContainer, type ImageConfig } from '../support/containers.js';
import { runTool } from '../support/proxy/run-tool.js';

const SLOW_MS = 300_000;
const USER = 10_001;
const isRoot = process.getuid?.() === 0;
const missing = BUILDAH === undefined ? 'buildah is neither on PATH nor named by BUILDAH' : 'not as root';

(BUILDAH !== undefined && isRoot ? describe : describe.skip)(`the images (${missing} where skipped)`, () => {
  let images: Images;
  const configs = new Map<string, ImageConfig>();
  beforeAll(async () => {
    images = new Images(BUILDAH!);
    const packages = join(images.directory, 'packages');
    mkdirSync(packages);
    expect(
      await runTool(process.execPath, ['src/package.mjs', '--to', packages], {
        cwd: process.cwd(),
        env: { HOME: images.directory },
      }),
    ).toMatchObject({
      code: 0,
    });
    for (const name of ['proxy-client', 'ledger-api']) {
      configs.set(name, images.build(`deploy/${name}.Dockerfile`, packages, name));
    }
  }, SLOW_MS);
  afterAll(() => {
    images[Symbol.dispose]();
  });

  it('run as a user that is not root', () => {
    for (const { User } of configs.values()) expect(User).toBe(`${USER}:${USER}`);
  });

  it('have labels that name the program and its version', () => {
    for (const [name, { Labels }] of configs) {
      expect(Labels).toMatchObject({
        'org.opencontainers.image.title': name,
        'org.opencontainers.image.version': '1.2.3',
        'org.opencontainers.image.licenses': 'Apache-2.0',
      });
    }
  });

  it(
    'of proxy-client: serves with the configuration of deploy, on a root that is read-only',
    async () => {
      const file = join(images.directory, 'proxy-client.yaml');
      const config = readFileSync('deploy/proxy-client.yaml', 'utf8');
      writeFileSync(file, config.replace('socks5://172.17.0.1:1080', 'embedded'));
      const root = images.mount('proxy-client');
      writeFileSync(join(root, 'etc/proxy-client.yaml'), '');
      const { stdout, stderr } = await runContainer({
        root,
        config: configs.get('proxy-client')!,
        mounts: { '/etc/proxy-client.yaml': file },
        script: [
          'curl --silent http://127.0.0.1:8080/health; echo',
          "curl --silent --output /dev/null --write-out '%{http_code}\\n' --proxy http://127.0.0.1:8080 http://127.0.0.1:8080/x",
          'inside touch /opt/x || echo read-only',
        ].join('\n'),
      });
      const [health, status, ...rest] = stdout.split('\n');
      expect([stderr, JSON.parse(health ?? '')]).toEqual([
        expect.any(String),
        expect.objectContaining({ status: 'healthy' }),
      ]);
      expect([status, ...rest]).toEqual(['404', 'read-only', 'ended with 0', '']);
    },
    SLOW_MS,
  );

  it(
    'of ledger-api: keeps its ledger in the volume, over a restart, with callers',
    async () => {
      const volume = join(images.directory, 'volume');
      mkdirSync(volume);
      chownSync(volume, USER, USER);
      const start = async (...lines: readonly string[]) =>
        runContainer({
          root: images.mount('ledger-api'),
          config: configs.get('ledger-api')!,
          mounts: { '/var/lib/ledger-api': volume },
          env: { LEDGER_AUTH: 'on', LEDGER_API_PLAIN: 'on' },
          script: lines.join('\n'),
        });
      const first = await start(
        "key=$(inside ledger-tool callers add ana --role admin | grep '^lk_')",
        'api=http://127.0.0.1:3000/api/v1',
        'until curl --silent --fail --output /dev/null --header "X-API-Key: $key" $api/assets; do sleep 0.1; done',
        `curl --silent --output /dev/null --write-out '%{http_code}\\n' --header "X-API-Key: $key" --json '{"id":"a","appraisedValue":"1","color":"red","owner":"Ann","size":"5"}' $api/assets`,
        'curl --silent $api/assets/a; echo',
        'echo $key',
      );
      const [created, refused, key, ended] = first.stdout.split('\n');
      expect([first.stderr, created, refused, ended]).toEqual([
        expect.any(String),
        '201',
        expect.stringContaining('Authentication is required.'),
        'ended with 0',
      ]);
      const second = await start(
        `curl --silent --header 'X-API-Key: ${key ?? ''}' http://127.0.0.1:3000/api/v1/assets/a; echo`,
        'inside ledger-tool verify | grep --count "^No errors found"',
      );
      const [found, verified] = second.stdout.split('\n');
      expect([found, verified]).toEqual([expect.stringContaining('"owner":"Ann"'), '1']);
    },
    SLOW_MS,
  );
});
