// One proxy for several customers: each has a password, an upstream and a count of bytes. `node choose-upstream.mjs` prints the URL,
// and one line for each request and tunnel when it ends. It runs until it is interrupted.
import { createProxy } from 'proxy-client';

const { ANN_UPSTREAM = 'socks5://ann:secret@127.0.0.1:1080' } = process.env;

const upstreams = new Map([['ann', ANN_UPSTREAM]]);
const bytes = new Map();

const proxy = await createProxy(
  {
    listen: {
      users: [
        { name: 'ann', password: 'correct horse' },
        { name: 'bob', password: 'battery staple' },
      ],
    },
    timeouts: { tunnelIdle: '10m' },
  },
  {
    // A database could be queried here. A user without an upstream is refused.
    chooseUpstream: async ({ user }) => upstreams.get(user) ?? 'reject',
    onEnd: ({ user, target, status, sent, received }) => {
      bytes.set(user, (bytes.get(user) ?? 0) + sent + received);
      console.log(`${user} ${target} ${status}, ${bytes.get(user)} bytes so far`);
    },
  },
);
console.log(proxy.url);

process.once('SIGINT', () => proxy.close({ drain: true }));
