// undici, and a fetch that uses a proxy, through a SOCKS5 server with a password.
import { anonymize } from 'proxy-client';
import { fetch, ProxyAgent } from 'undici';

const { UPSTREAM = 'socks5://me:secret@127.0.0.1:1080', SITE = 'http://example.com/' } = process.env;

const proxy = await anonymize(UPSTREAM);
const dispatcher = new ProxyAgent(proxy.url);
try {
  const answer = await fetch(SITE, { dispatcher });
  console.log(await answer.text());
} finally {
  await dispatcher.close();
  await proxy.close();
}
