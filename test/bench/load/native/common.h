/* Shared by the helpers of the proxy benchmark: sockets on loopback, clocks, exit with one line. Linux only. */
#ifndef COMMON_H
#define COMMON_H
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static inline void die(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* As many descriptors as the hard limit allows; a peer that goes away is an error code, not a signal. */
static inline void prepare_process(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  signal(SIGPIPE, SIG_IGN);
}

static inline struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static inline void no_delay(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Listens on a free port and prints it. */
static inline int listen_and_print(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
  struct sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 4096)) die("listen");
  getsockname(fd, (struct sockaddr *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return fd;
}

static inline int connect_loopback(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = loopback(port);
  if (fd < 0) die("socket");
  no_delay(fd);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS) {
    close(fd);
    return -1;
  }
  return fd;
}

static inline void watch(int epoll, int operation, int fd, uint32_t events, void *data) {
  struct epoll_event event = {.events = events, .data.ptr = data};
  if (epoll_ctl(epoll, operation, fd, &event)) die("epoll_ctl");
}

/* A file in memory to send from without copying. */
#define PATTERN_BYTES (4u << 20)
static inline int pattern_file(void) {
  int fd = memfd_create("pattern", MFD_CLOEXEC);
  char *bytes = malloc(PATTERN_BYTES);
  for (uint32_t i = 0; i < PATTERN_BYTES; i++) bytes[i] = (char)(i * 31 + (i >> 8));
  if (fd < 0 || write(fd, bytes, PATTERN_BYTES) != (ssize_t)PATTERN_BYTES) die("memfd");
  free(bytes);
  return fd;
}

/* Sends up to *left bytes of the pattern; 0 all sent, 1 the socket is full, -1 the peer is gone. */
static inline int send_pattern(int fd, int pattern, uint64_t *left) {
  while (*left > 0) {
    off_t offset = 0;
    size_t wanted = *left < PATTERN_BYTES ? (size_t)*left : PATTERN_BYTES;
    ssize_t sent = sendfile(fd, pattern, &offset, wanted);
    if (sent < 0) return errno == EAGAIN ? 1 : -1;
    *left -= (uint64_t)sent;
  }
  return 0;
}
#endif
