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
  return { host: reachable, authority: `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}` };
}

/** Returns how to configure programs for a listener. */
export function programsFor(listener: ListenerStatus, { host, authority }: ListenerAddress): readonly Program[] {
  if (listener.mode === 'tunnel') return [];
  const isSocks = listener.mode === 'socks5';
  const login = listener.asks_for_password ? 'USER:PASSWORD@' : '';
  const url = `${isSocks ? 'socks5h' : 'http'}://${login}${authority}`;
  const variables = isSocks ? `all_proxy=${url}` : `http_proxy=${url} https_proxy=${url}`;
  return [
    {
      name: 'Browser',
      snippets: {
        [isSocks ? 'SOCKS v5 host and port' : 'All traffic: HTTP proxy, also for HTTPS']: authority,
        'Chromium, Chrome or Edge, for one session': `chromium --proxy-server=${isSocks ? 'socks5' : 'http'}://${authority}`,
      },
      hint: isSocks
        ? 'Firefox: SOCKS v5, and “Proxy DNS when using SOCKS v5”.'
        : 'Firefox: Settings, Network Settings, Manual proxy configuration, “Also use this proxy for HTTPS”.',
    },
    {
      name: 'Terminal',
      snippets: {
        [isSocks ? 'Programs that support SOCKS' : 'curl, wget and most others']:
          `export ${variables} no_proxy=${NO_PROXY}`,
        Test: `curl --proxy ${url} https://example.com/`,
      },
    },
    {
      name: 'git',
      snippets: {
        Permanent: `git config --global http.proxy ${url}`,
        Undo: 'git config --global --unset http.proxy',
      },
    },
    ...(isSocks ? [] : httpPrograms(url, host)),
  ];
}

/** Returns the programs that do not support SOCKS. */
function httpPrograms(url: string, host: string): readonly Program[] {
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  return [
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
      hint: isLoopback
        ? 'Containers cannot reach 127.0.0.1 of this machine. Add a listener on the address of docker0.'
        : undefined,
    },
  ];
}
