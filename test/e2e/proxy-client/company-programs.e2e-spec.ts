import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KerberosRealm } from '../../support/peers/kerberos-realm.js';
import { KERBEROS_TOOLS } from '../../support/peers/kerberos-tools.js';
import { gitBackend } from '../../support/proxy/git-backend.js';
import { registryOf } from '../../support/proxy/npm-registry.js';
import { packageIndexOf } from '../../support/proxy/package-index.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { runTool, type ToolResult } from '../../support/proxy/run-tool.js';
import { WebOrigin } from '../../support/proxy/web-origin.js';
import { CHROMIUM, CURL, GIT, NPM, PIP, PYTHON, withTools } from '../../support/proxy/with-tool.js';

/** The commands of the section "Your programs". */
const [EXPORT = '', ...COMMANDS] = /^## Your programs\n[^]*?^```sh\n([^]*?)^```$/m
  .exec(readFileSync('docs/company-proxy.md', 'utf8'))![1]!
  .trim()
  .split('\n');
const commandOf = (program: string): string => COMMANDS.find((command) => command.startsWith(program))!;

withTools(
  'the programs of docs/company-proxy.md, with a proxy that only accepts Kerberos',
  [...KERBEROS_TOOLS, PYTHON, NPM, GIT, CURL, PIP, CHROMIUM],
  (squid = '', helper = '', ...[, , , python = '', npm = '', git = '']) => {
    const directory = mkdtempSync(join(tmpdir(), 'company-'));
    let realm: KerberosRealm;
    let origin: WebOrigin;
    let proxy: RunningProxy;

    beforeAll(async () => {
      realm = await KerberosRealm.start();
      const port = await realm.squid(squid, helper);
      proxy = await ProxyProgram.start(
        { upstream: undefined, upstreams: { corp: { url: `http://localhost:${port}`, auth: 'negotiate' } } },
        realm.environment,
      );
      mkdirSync(join(directory, 'repositories'));
      const repository = join(directory, 'repositories/repository.git');
      for (const args of [
        ['init', '--quiet', '--initial-branch=main', '.'],
        ['-c', 'user.name=me', '-c', 'user.email=me@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'first'],
      ]) {
        mkdirSync(repository, { recursive: true });
        expect(await runTool(git, args, { cwd: repository })).toMatchObject({ code: 0 });
      }
      const [packages, index] = [await registryOf(npm, directory), await packageIndexOf(python, directory)];
      const repositories = gitBackend(git, join(directory, 'repositories'));
      origin = await WebOrigin.start((request, response) => {
        const { url = '' } = request;
        if (url.startsWith('/repository.git/')) repositories(request, response);
        else if (url.startsWith('/simple/') || url.endsWith('.whl')) index(request, response);
        else if (url.startsWith('/tiny-thing')) packages(request, response);
        else response.setHeader('Content-Type', 'text/html').end('<p>the page of the site</p>');
      });
      writeFileSync(join(directory, 'root.pem'), origin.rootCertificate);
    });
    afterAll(async () => {
      await proxy[Symbol.asyncDispose]();
      await origin[Symbol.asyncDispose]();
      await realm[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    });

    /** Runs a command of the page with the addresses of this test, and returns how many tokens squid has accepted for it. */
    const run = async (command: string): Promise<ToolResult & { readonly tokens: number }> => {
      const { host } = new URL(proxy.url);
      const line = (text: string): string =>
        text
          .replaceAll('127.0.0.1:8080', host)
          .replace('https://example.com', origin.https)
          .replace('NAME', 'tiny-thing');
      const before = realm.acceptedTokens;
      const root = join(directory, 'root.pem');
      // The site is on this machine, to which programs connect without a proxy otherwise.
      const script = `${line(EXPORT)}\nexport no_proxy=\n${line(command)}`;
      const ran = await runTool('bash', ['-c', script], {
        cwd: directory,
        env: {
          ...{ CURL_CA_BUNDLE: root, GIT_SSL_CAINFO: root, PIP_CERT: root, NODE_EXTRA_CA_CERTS: root },
          ...{ PIP_INDEX_URL: `${origin.https}/simple/`, PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_CACHE_DIR: '1' },
          ...{ npm_config_registry: origin.https, npm_config_update_notifier: 'false', npm_config_noproxy: '' },
        },
      });
      return { ...ran, tokens: realm.acceptedTokens - before };
    };

    it.each<readonly [string, RegExp]>([
      ['curl', /^<p>the page of the site<\/p>$/],
      ['git', /^[0-9a-f]{40}\s+HEAD\n/],
      ['npm', /^1\.2\.3\n$/],
    ])('%s', async (program, output) => {
      const { tokens, ...ran } = await run(commandOf(program));
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(output) });
      expect(tokens).toBeGreaterThan(0);
    });

    it('pip', async () => {
      const { tokens, ...ran } = await run(commandOf('pip'));
      expect(ran).toMatchObject({ code: 0 });
      expect(readdirSync(directory)).toContain('tiny_thing-1.2.3-py3-none-any.whl');
      expect(tokens).toBeGreaterThan(0);
    });

    it('chromium', async () => {
      const settings = `--headless --no-sandbox --disable-gpu --user-data-dir=${join(directory, 'profile')}`;
      const quiet = '--disable-background-networking --disable-component-update --disable-sync --no-first-run';
      const command = `${commandOf('chromium')} ${settings} ${quiet} '--proxy-bypass-list=<-loopback>' --dump-dom ${origin.http}/`;
      const { tokens, stdout } = await run(command);
      expect(stdout).toContain('the page of the site');
      expect(tokens).toBeGreaterThan(0);
    });

    it('are all tested', () => {
      expect(COMMANDS.map((command) => command.split(' ')[0])).toEqual(['curl', 'git', 'pip', 'npm', 'chromium']);
    });
  },
);
