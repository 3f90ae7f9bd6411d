import { durationText, successRate, type ProxyStatsSnapshot } from '#metrics';
import type { Health, Stats } from './monitoring.dto.js';

/** Returns the response of /stats. */
export function presentStats(snapshot: ProxyStatsSnapshot): Stats {
  return {
    start_time: snapshot.startTime.toISOString(),
    uptime: durationText(snapshot.uptime),
    total_connections: snapshot.totalConnections,
    active_connections: snapshot.activeConnections,
    successful_requests: snapshot.successfulRequests,
    failed_requests: snapshot.failedRequests,
    bytes_sent: snapshot.bytesSent,
    bytes_received: snapshot.bytesReceived,
    socks5_errors: snapshot.socks5Errors,
  };
}

/** Returns the response of /health. */
export function presentHealth(snapshot: ProxyStatsSnapshot): Health {
  return {
    status: 'healthy',
    uptime: durationText(snapshot.uptime),
    active_connections: snapshot.activeConnections,
    success_rate: successRate(snapshot.successfulRequests, snapshot.failedRequests),
  };
}
