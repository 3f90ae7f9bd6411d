/*
 * The load for listeners with TLS: tls-client MODE PORT AMOUNT
 *   MODE  down | up   AMOUNT bytes from or to the origin behind the listener, sent in records of 16 KiB
 * The certificate is not verified. Prints one line of JSON.
 */
#include "common.h"
#include <openssl/ssl.h>

static char bytes[1 << 20];

static void check(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "tls-client: %s failed\n", what);
  exit(1);
}

static SSL *open_connection(int port) {
  struct sockaddr_in address = loopback(port);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  no_delay(fd);
  if (connect(fd, (struct sockaddr *)&address, sizeof address)) die("connect");
  SSL *tls = SSL_new(SSL_CTX_new(TLS_client_method()));
  check(SSL_set_fd(tls, fd) == 1 && SSL_connect(tls) == 1, "the handshake");
  return tls;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: tls-client down|up PORT AMOUNT\n");
    return 2;
  }
  prepare_process();
  int is_up = strcmp(argv[1], "up") == 0;
  uint64_t left = strtoull(argv[3], NULL, 10), started = now_ns();
  SSL *tls = open_connection(atoi(argv[2]));
  int length = sprintf(bytes, "%s %llu\n", is_up ? "U" : "D", (unsigned long long)left);
  check(SSL_write(tls, bytes, length) == length, "the request");
  while (left > 0) {
    int moved = is_up ? SSL_write(tls, bytes, left < 16384 ? (int)left : 16384) : SSL_read(tls, bytes, sizeof bytes);
    check(moved > 0, "the transfer");
    left -= (uint64_t)moved;
  }
  check(!is_up || SSL_read(tls, bytes, sizeof bytes) > 0, "the answer");
  printf("{\"seconds\":%.6f,\"failed\":0}\n", (double)(now_ns() - started) / 1e9);
  return 0;
}
