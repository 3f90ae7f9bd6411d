import type { ListenerStatus } from './api.ts';

/** A command or setting to copy. */
export interface Snippet {
  readonly text: string;
  /** The file it belongs to, or its purpose. */
  readonly note: string;
}

/** How to configure a program. */
export interface Program {
  readonly name: string;
  readonly snippets: readonly Snippet[];
  readonly hint?: string;
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

/** Returns the name of a listener in a list: `http 127.0.0.1:8080`. */
export function listenerName(listener: ListenerStatus, address: ListenerAddress): string {
  return `${listener.mode} ${address.authority}`;
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
      snippets: [
        { text: address.authority, note: 'All traffic: HTTP proxy, also for HTTPS' },
        {
          text: `chromium --proxy-server=http://${address.authority}`,
          note: 'Chromium, Chrome or Edge, for one session',
        },
      ],
      hint: 'Firefox: Settings, Network Settings, Manual proxy configuration, “Also use this proxy for HTTPS”.',
    },
    {
      name: 'Terminal',
      snippets: [
        {
          text: `export http_proxy=${url} https_proxy=${url} no_proxy=${NO_PROXY}`,
          note: 'curl, wget and most others',
        },
        { text: `curl --proxy ${url} https://example.com/`, note: 'Test' },
      ],
    },
    {
      name: 'git',
      snippets: [
        { text: `git config --global http.proxy ${url}`, note: 'Permanent' },
        { text: 'git config --global --unset http.proxy', note: 'Undo' },
      ],
    },
    {
      name: 'npm',
      snippets: [
        { text: `npm config set proxy ${url}\nnpm config set https-proxy ${url}`, note: 'Permanent' },
        { text: 'npm config delete proxy\nnpm config delete https-proxy', note: 'Undo' },
      ],
    },
    {
      name: 'pip',
      snippets: [{ text: `pip config set global.proxy ${url}`, note: 'Permanent' }],
    },
    {
      name: 'apt',
      snippets: [
        {
          text: `Acquire::http::Proxy "${url}";\nAcquire::https::Proxy "${url}";`,
          note: '/etc/apt/apt.conf.d/95proxy',
        },
      ],
    },
    {
      name: 'docker',
      snippets: [
        {
          text: `[Service]\nEnvironment="HTTP_PROXY=${url}" "HTTPS_PROXY=${url}" "NO_PROXY=${NO_PROXY}"`,
          note: '/etc/systemd/system/docker.service.d/proxy.conf, for pulls',
        },
        { text: 'sudo systemctl daemon-reload && sudo systemctl restart docker', note: 'Restart docker' },
      ],
      ...(isLoopback(address) && {
        hint: 'Containers cannot reach 127.0.0.1 of this machine. Add a listener on the address of docker0.',
      }),
    },
  ];
}

function socksPrograms(authority: string, address: ListenerAddress): readonly Program[] {
  const url = `socks5h://${authority}`;
  return [
    {
      name: 'Browser',
      snippets: [
        { text: address.authority, note: 'SOCKS v5 host and port' },
        {
          text: `chromium --proxy-server=socks5://${address.authority}`,
          note: 'Chromium, Chrome or Edge, for one session',
        },
      ],
      hint: 'Firefox: SOCKS v5, and “Proxy DNS when using SOCKS v5”.',
    },
    {
      name: 'Terminal',
      snippets: [
        { text: `export all_proxy=${url} no_proxy=${NO_PROXY}`, note: 'Programs that support SOCKS' },
        { text: `curl --proxy ${url} https://example.com/`, note: 'Test' },
      ],
    },
    {
      name: 'git',
      snippets: [
        { text: `git config --global http.proxy ${url}`, note: 'Permanent' },
        { text: 'git config --global --unset http.proxy', note: 'Undo' },
      ],
    },
  ];
}

function isLoopback({ host }: ListenerAddress): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
