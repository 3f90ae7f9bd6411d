import type { ListenerStatus } from './api.ts';

/** How to configure a program. */
export interface Program {
  readonly name: string;
  /** Commands and settings to copy, by their file or purpose. */
  readonly snippets: Readonly<Record<string, string>>;
  readonly hint?: string | undefined;
}

/** The address of a listener. */
export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
  /** `host:port`, with IPv6 addresses in brackets. */
  readonly authority: string;
}

/** Local hosts, which programs should reach directly. */
const NO_PROXY = 'localhost,127.0.0.1,::1';

/**
 * Returns the address of a listener.
 * @param dashboardHost - the host of the dashboard's URL, which also reaches a listener on all addresses
 */
export function addressOf(
  { host, port }: Pick<ListenerStatus, 'host' | 'port'>,
  dashboardHost: string,
): ListenerAddress {
  const bare = dashboardHost.replace(/^\[(.*)\]$/, '$1');
  const reachable = host === '0.0.0.0' || host === '::' ? bare : host;
  return { host: reachable, port, authority: `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}` };
}

/** Returns how to configure programs for a listener. */
export function programsFor(listener: ListenerStatus, address: ListenerAddress): readonly Program[] {
  if (listener.mode === 'tunnel') return [];
  const login = listener.asks_for_password ? 'USER:PASSWORD@' : '';
  const authority = `${login}${address.authority}`;
  return listener.mode === 'socks5' ? socksPrograms(authority, address) : httpPrograms(authority, address);
}

function httpPrograms(authority: string, address: ListenerAddress): readonly Program[] {
  const url = `http://${authority}`;
  return [
    {
      name: 'Browser',
      snippets: {
        'All traffic: HTTP proxy, also for HTTPS': address.authority,
        'Chromium, Chrome or Edge, for one session': `chromium --proxy-server=http://${address.authority}`,
      },
      hint: 'Firefox: Settings, Network Settings, Manual proxy configuration, “Also use this proxy for HTTPS”.',
    },
    {
      name: 'Terminal',
      snippets: {
        'curl, wget and most others': `export http_proxy=${url} https_proxy=${url} no_proxy=${NO_PROXY}`,
        Test: `curl --proxy ${url} https://example.com/`,
      },
    },
    git(url),
    {
      name: 'npm',
      snippets: {
        Permanent: `npm config set proxy ${url}\nnpm config set https-proxy ${url}`,
        Undo: 'npm config delete proxy\nnpm config delete https-proxy',
      },
    },
    { name: 'pip', snippets: { Permanent: `pip config set global.proxy ${url}` } },
    {
      name: 'apt',
      snippets: {
        '/etc/apt/apt.conf.d/95proxy': `Acquire::http::Proxy "${url}";\nAcquire::https::Proxy "${url}";`,
      },
    },
    {
      name: 'docker',
      snippets: {
        '/etc/systemd/system/docker.service.d/proxy.conf, for pulls': `[Service]\nEnvironment="HTTP_PROXY=${url}" "HTTPS_PROXY=${url}" "NO_PROXY=${NO_PROXY}"`,
        'Restart docker': 'sudo systemctl daemon-reload && sudo systemctl restart docker',
      },
      hint: isLoopback(address)
        ? 'Containers cannot reach 127.0.0.1 of this machine. Add a listener on the address of docker0.'
        : undefined,
    },
  ];
}

function socksPrograms(authority: string, address: ListenerAddress): readonly Program[] {
  const url = `socks5h://${authority}`;
  return [
    {
      name: 'Browser',
      snippets: {
        'SOCKS v5 host and port': address.authority,
        'Chromium, Chrome or Edge, for one session': `chromium --proxy-server=socks5://${address.authority}`,
      },
      hint: 'Firefox: SOCKS v5, and “Proxy DNS when using SOCKS v5”.',
    },
    {
      name: 'Terminal',
      snippets: {
        'Programs that support SOCKS': `export all_proxy=${url} no_proxy=${NO_PROXY}`,
        Test: `curl --proxy ${url} https://example.com/`,
      },
    },
    git(url),
  ];
}

function git(url: string): Program {
  const undo = 'git config --global --unset http.proxy';
  return { name: 'git', snippets: { Permanent: `git config --global http.proxy ${url}`, Undo: undo } };
}

function isLoopback({ host }: ListenerAddress): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
