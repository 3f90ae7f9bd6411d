// axios through a SOCKS5 server with a password.
import axios from 'axios';
import { anonymize } from 'proxy-client';

const { UPSTREAM = 'socks5://me:secret@127.0.0.1:1080', SITE = 'http://example.com/' } = process.env;

const proxy = await anonymize(UPSTREAM);
try {
  const { hostname: host, port } = new URL(proxy.url);
  const { data } = await axios.get(SITE, { proxy: { protocol: 'http', host, port: Number(port) } });
  console.log(data);
} finally {
  await proxy.close();
}
