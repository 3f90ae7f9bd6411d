/** A program of the gate's matrix: how it reaches a host, for which the command has the placeholder HOST. */
export interface GateProgram {
  readonly name: string;
  /** The file that must be installed. */
  readonly file: string;
  /** A shell command that tries to reach HOST; whether it then succeeds is not compared. */
  readonly command: string;
  /** The line that a program without a proxy setting needs; absent: none. */
  readonly line?: string;
}

const NODE_CODE = (code: string): string => `node --input-type=module -e "${code}"`;

/** The programs that were tried. Each makes one attempt, without retries and caches. */
export const GATE_PROGRAMS: readonly GateProgram[] = [
  { name: 'curl', file: 'curl', command: 'curl -s http://HOST/' },
  { name: 'curl (https)', file: 'curl', command: 'curl -sk https://HOST/' },
  { name: 'wget', file: 'wget', command: 'wget -q -t1 -O- http://HOST/' },
  { name: 'git (https)', file: 'git', command: 'git -c http.sslVerify=false ls-remote https://HOST/r.git' },
  { name: 'git (ssh)', file: 'git', command: 'git ls-remote ssh://git@HOST/r.git' },
  { name: 'ssh', file: 'ssh', command: 'ssh -o BatchMode=yes HOST true' },
  { name: 'scp', file: 'scp', command: 'scp -o BatchMode=yes HOST:/x .' },
  { name: 'sftp', file: 'sftp', command: 'sftp -o BatchMode=yes HOST:/x .' },
  { name: 'rsync (daemon)', file: 'rsync', command: 'rsync --contimeout=5 rsync://HOST/m/ .' },
  { name: 'rsync (ssh)', file: 'rsync', command: 'rsync -e "ssh -o BatchMode=yes" HOST:/x .' },
  { name: 'npm', file: 'npm', command: 'npm view tiny --registry http://HOST/ --fetch-retries 0 --cache /tmp/npm' },
  { name: 'pnpm', file: 'pnpm', command: 'pnpm view tiny --registry http://HOST/ --fetch-retries 0' },
  { name: 'yarn', file: 'yarn', command: 'yarn info tiny --registry http://HOST/ --network-timeout 3000' },
  { name: 'bun', file: 'bun', command: 'echo {} > package.json; BUN_CONFIG_REGISTRY=http://HOST/ bun add tiny' },
  { name: 'deno', file: 'deno', command: 'deno eval "await fetch(\'http://HOST/\')"' },
  { name: 'Node: fetch', file: 'node', command: NODE_CODE("await fetch('http://HOST/')") },
  { name: 'Node: http', file: 'node', command: NODE_CODE("import { get } from 'node:http'; get('http://HOST/')") },
  {
    name: 'Node: undici',
    file: 'node',
    command: `NODE_PATH=$MODULES node -e "const u = require('undici'); u.setGlobalDispatcher(new u.EnvHttpProxyAgent()); u.request('http://HOST/')"`,
    line: 'setGlobalDispatcher(new EnvHttpProxyAgent())',
  },
  { name: 'Node: axios', file: 'node', command: `NODE_PATH=$MODULES node -e "require('axios').get('http://HOST/')"` },
  {
    name: 'Node: got',
    file: 'node',
    command: `NODE_PATH=$MODULES node -e "import(require.resolve('got')).then(({ got }) => got('http://HOST/', { retry: { limit: 0 } }))"`,
  },
  {
    name: 'Node: gRPC',
    file: 'node',
    command: `NODE_PATH=$MODULES timeout 3 node -e "const g = require('@grpc/grpc-js'); new g.Client('HOST:443', g.credentials.createSsl()).waitForReady(Date.now() + 2500, () => process.exit())"`,
  },
  {
    name: 'pip',
    file: 'pip',
    command: 'pip download --no-cache-dir --retries 0 --no-input -i http://HOST/simple --trusted-host HOST tiny',
  },
  { name: 'uv', file: 'uv', command: 'uv pip install --no-cache --index-url http://HOST/simple --target t tiny' },
  {
    name: 'poetry',
    file: 'poetry',
    command: `printf '[project]\\nname = "a"\\nversion = "1"\\nrequires-python = ">=3.9"\\n[[tool.poetry.source]]\\nname = "h"\\nurl = "http://HOST/simple/"\\npriority = "primary"\\n' > pyproject.toml; timeout 20 poetry add --no-interaction --lock tiny`,
  },
  {
    name: 'Python: urllib',
    file: 'python3',
    command: `python3 -c "import urllib.request as u; u.urlopen('http://HOST/')"`,
  },
  { name: 'Python: requests', file: '$PYTHON', command: `$PYTHON -c "import requests; requests.get('http://HOST/')"` },
  { name: 'Python: httpx', file: '$PYTHON', command: `$PYTHON -c "import httpx; httpx.get('http://HOST/')"` },
  {
    name: 'Python: aiohttp',
    file: '$PYTHON',
    command: `$PYTHON -c "
import aiohttp, asyncio
async def main():
    async with aiohttp.ClientSession(trust_env=True) as s: await s.get('http://HOST/')
asyncio.run(main())"`,
    line: 'ClientSession(trust_env=True)',
  },
  {
    name: 'Python: urllib3',
    file: '$PYTHON',
    command: `$PYTHON -c "import urllib3, os; urllib3.ProxyManager(os.environ['http_proxy']).request('GET', 'http://HOST/')"`,
    line: "ProxyManager(os.environ['http_proxy'])",
  },
  {
    name: 'Python: gRPC',
    file: '$PYTHON',
    command: `timeout 6 $PYTHON -c "
import grpc
grpc.channel_ready_future(grpc.secure_channel('HOST:443', grpc.ssl_channel_credentials())).result(timeout=4)"`,
  },
  { name: 'cargo', file: 'cargo', command: 'cargo install --index sparse+https://HOST/ --root /tmp/c tiny' },
  {
    name: 'go',
    file: 'go',
    command:
      'GOCACHE=/tmp/g GOPATH=/tmp/p GOPROXY=http://HOST GONOSUMDB=* GOFLAGS=-mod=mod go list -m -versions example.com/x',
  },
  {
    name: 'Maven',
    file: 'mvn',
    command: `printf '<settings><mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf><url>https://HOST/</url></mirror></mirrors></settings>' > s.xml; mvn -B -q -s s.xml org.example:x:1:help`,
  },
  {
    name: 'Gradle',
    file: 'gradle',
    command: `printf 'buildscript { repositories { maven { url "http://HOST/" } }; dependencies { classpath "a:b:1" } }' > build.gradle; gradle --no-daemon -q help`,
  },
  {
    name: 'Java: HttpClient',
    file: 'java',
    command: `printf 'import java.net.*; import java.net.http.*; class A { public static void main(String[] a) throws Exception { HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("http://HOST/")).build(), HttpResponse.BodyHandlers.ofString()); } }' > A.java; java A.java`,
  },
  {
    name: 'Java: URLConnection',
    file: 'java',
    command: `printf 'class B { public static void main(String[] a) throws Exception { new java.net.URL("http://HOST/").openStream(); } }' > B.java; java B.java`,
  },
  { name: 'gem', file: 'gem', command: 'gem list -r --clear-sources -s http://HOST/ tiny' },
  { name: 'Ruby: Net::HTTP', file: 'ruby', command: `ruby -rnet/http -e "Net::HTTP.get(URI('http://HOST/'))"` },
  {
    name: 'composer',
    file: 'composer',
    command: `printf '{"repositories": [{"type": "composer", "url": "http://HOST"}, {"packagist": false}], "config": {"secure-http": false}, "require": {"a/b": "1"}}' > composer.json; composer -n update`,
  },
  { name: 'PHP: curl', file: 'php', command: `php -r '$c = curl_init("http://HOST/"); curl_exec($c);'` },
  {
    name: 'apt',
    file: 'apt-get',
    command:
      'mkdir -p s l/partial c/partial; echo "deb http://HOST/debian stable main" > s/list; apt-get -o Dir::Etc::SourceList=$PWD/s/list -o Dir::Etc::SourceParts=- -o Dir::State::Lists=$PWD/l -o Dir::Cache=$PWD/c -o APT::Sandbox::User=root -o Acquire::Retries=0 update',
  },
  { name: 'Perl: LWP', file: 'lwp-request', command: 'lwp-request -t 5s http://HOST/' },
  { name: 'Perl: HTTP::Tiny', file: 'perl', command: `perl -MHTTP::Tiny -e 'HTTP::Tiny->new->get("http://HOST/")'` },
  { name: 'svn', file: 'svn', command: 'svn --non-interactive ls http://HOST/r' },
  { name: 'lftp', file: 'lftp', command: `lftp -c 'set net:max-retries 1; set net:timeout 5; cat http://HOST/'` },
  { name: 'ffmpeg', file: 'ffmpeg', command: 'ffmpeg -loglevel quiet -i http://HOST/a.mp3 -f null -' },
  {
    name: 'psql',
    file: 'psql',
    command:
      '$CONNECT --listen 5433 HOST 5432 & sleep 1; PGCONNECT_TIMEOUT=3 psql -h 127.0.0.1 -p 5433 -U a -c "select 1" a; kill $!',
    line: 'proxy-client connect --listen 5433 HOST 5432 &',
  },
  {
    name: 'redis-cli',
    file: 'redis-cli',
    command: '$CONNECT --listen 6380 HOST 6379 & sleep 1; timeout 3 redis-cli -h 127.0.0.1 -p 6380 ping; kill $!',
    line: 'proxy-client connect --listen 6380 HOST 6379 &',
  },
  {
    name: 'Chromium',
    file: '$CHROMIUM',
    command:
      'timeout 15 $CHROMIUM --headless --no-sandbox --disable-gpu --user-data-dir=/tmp/profile --dump-dom http://HOST/',
  },
  {
    name: 'Playwright',
    file: '$CHROMIUM',
    command: `NODE_PATH=$MODULES timeout 20 node -e "const { chromium } = require('playwright-core'); chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'], proxy: { server: process.env.http_proxy } }).then((b) => b.newPage()).then((p) => p.goto('http://HOST/')).finally(() => process.exit())"`,
    line: 'launch({ proxy: { server: process.env.http_proxy } })',
  },
];
