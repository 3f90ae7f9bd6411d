// CPU time that a request's rules cost by themselves: `npm run build`, then `node test/bench/micro/rules.mjs`. The least of
// several rounds, since neighbours only ever add to it.
import process from 'node:process';
import '../../../libs/threads/src/run-from-source.mjs';

const rules = new URL('../../../apps/proxy-client/src/routing/rules/', import.meta.url);
const { RuleList } = await import(new URL('rule.ts', rules).href);
const { HostNames } = await import(new URL('host-names.ts', rules).href);
const { Networks } = await import(new URL('addresses.ts', rules).href);

const ROUNDS = 15;
const RUNS = 100_000;

const texts = Array.from({ length: 100_000 }, (_, index) => `host${index}.ads${index % 977}.example`);
const names = new HostNames(texts);
const networks = new Networks(
  Array.from({ length: 10_000 }, (_, index) => `20.${index >> 6}.${(index & 63) * 4}.0/23`),
);

function measure(title, rules, host) {
  const list = new RuleList(rules.map((rule) => ({ ...rule, to: 'reject' })));
  const query = { target: { host, port: 443 }, client: {} };
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let index = 0; index < RUNS; index++) list.firstFor(query);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / RUNS);
  }
  console.log(title.padEnd(52), `${least.toFixed(2)} µs`);
}

measure('no rules', [], 'www.some.example.org');
measure('100,000 names, a name of four labels', [{ hosts: names }], 'www.some.example.org');
measure('100,000 names, one of them', [{ hosts: names }], texts[5000]);
measure('10,000 networks, a name', [{ networks }], 'www.some.example.org');
measure('10,000 networks, an IPv4 address', [{ networks }], '20.50.60.70');
measure('10,000 networks, an IPv6 address', [{ networks }], '2001:db8::1');
