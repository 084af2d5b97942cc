// Lets calls that write fail at random, and shifts the clock. `model` builds it with a path as CONFIGURATION, and has
// imagemill load it with LD_PRELOAD.
//
// The file at CONFIGURATION has a line: SECONDS MILLIONTHS SEED DIRECTORY. The clock is SECONDS ahead, and of a million
// calls for files under DIRECTORY so many fail. It is read when a process starts. Calls outside DIRECTORY are left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long ahead, millionths;
static char directory[PATH_MAX];
static size_t directory_length;
static _Atomic uint64_t state;

__attribute__((constructor)) static void configure(void) {
  FILE *file = fopen(CONFIGURATION, "re");
  if (!file) return;
  unsigned long seed = 0;
  if (fscanf(file, "%ld %ld %lu %4095s", &ahead, &millionths, &seed, directory) != 4) millionths = ahead = 0;
  fclose(file);
  directory_length = strlen(directory);
  // Processes of a run get different numbers; the run and its first worker are told apart by their arguments.
  state = seed * 6364136223846793005u + (uint64_t)getpid();
}

static uint64_t chance(void) {
  // splitmix64
  uint64_t z = atomic_fetch_add(&state, 0x9e3779b97f4a7c15u) + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int inside(const char *path) { return directory_length && strncmp(path, directory, directory_length) == 0; }

static int inside_descriptor(int descriptor) {
  char name[64], path[PATH_MAX];
  snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(name, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return inside(path);
}

static int inside_at(int at, const char *path) {
  if (path && path[0] == '/') return inside(path);
  if (at != AT_FDCWD) return inside_descriptor(at);
  char current[PATH_MAX];
  return getcwd(current, sizeof current) && inside(current);
}

// Whether this call is one of those that fail, before its place is known.
static int drawn(void) { return millionths && chance() % 1000000 < (uint64_t)millionths; }

static int pick(const int *codes, int count) { return codes[chance() % count]; }

static const int writing[] = {ENOSPC, EIO, EDQUOT}, opening[] = {EMFILE, EIO, ENOSPC}, moving[] = {ENOSPC, EIO, EDQUOT};

#define FAIL(codes) do { errno = pick(codes, 3); return -1; } while (0)
#define NEXT(name) \
  static __typeof__(&name) next; \
  if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int descriptor, const void *bytes, size_t size) {
  NEXT(write);
  if (drawn() && inside_descriptor(descriptor)) {
    // A disk that fills up takes a part first.
    if (size > 1 && chance() % 4 == 0) return next(descriptor, bytes, size / 2);
    FAIL(writing);
  }
  return next(descriptor, bytes, size);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  NEXT(writev);
  if (drawn() && inside_descriptor(descriptor)) FAIL(writing);
  return next(descriptor, parts, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  NEXT(pwrite);
  if (drawn() && inside_descriptor(descriptor)) FAIL(writing);
  return next(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
  NEXT(pwrite64);
  if (drawn() && inside_descriptor(descriptor)) FAIL(writing);
  return next(descriptor, bytes, size, offset);
}

int ftruncate64(int descriptor, off64_t size) {
  NEXT(ftruncate64);
  if (drawn() && inside_descriptor(descriptor)) FAIL(writing);
  return next(descriptor, size);
}

int fsync(int descriptor) {
  NEXT(fsync);
  if (drawn() && inside_descriptor(descriptor)) FAIL(writing);
  return next(descriptor);
}

int fdatasync(int descriptor) {
  NEXT(fdatasync);
  if (drawn() && inside_descriptor(descriptor)) FAIL(writing);
  return next(descriptor);
}

int rename(const char *from, const char *to) {
  NEXT(rename);
  if (drawn() && inside_at(AT_FDCWD, to)) FAIL(moving);
  return next(from, to);
}

int renameat(int from_at, const char *from, int at, const char *to) {
  NEXT(renameat);
  if (drawn() && inside_at(at, to)) FAIL(moving);
  return next(from_at, from, at, to);
}

int renameat2(int from_at, const char *from, int at, const char *to, unsigned flags) {
  NEXT(renameat2);
  if (drawn() && inside_at(at, to)) FAIL(moving);
  return next(from_at, from, at, to, flags);
}

int link(const char *from, const char *to) {
  NEXT(link);
  if (drawn() && inside_at(AT_FDCWD, to)) FAIL(moving);
  return next(from, to);
}

int linkat(int from_at, const char *from, int at, const char *to, int flags) {
  NEXT(linkat);
  if (drawn() && inside_at(at, to)) FAIL(moving);
  return next(from_at, from, at, to, flags);
}

int mkdirat(int at, const char *path, mode_t mode) {
  NEXT(mkdirat);
  if (drawn() && inside_at(at, path)) FAIL(moving);
  return next(at, path, mode);
}

// A mode follows where a file may be made.
#define MODE(last) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list list; \
    va_start(list, last); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

int open(const char *path, int flags, ...) {
  NEXT(open);
  MODE(flags)
  if (drawn() && inside_at(AT_FDCWD, path)) FAIL(opening);
  return next(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  NEXT(open64);
  MODE(flags)
  if (drawn() && inside_at(AT_FDCWD, path)) FAIL(opening);
  return next(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
  NEXT(openat);
  MODE(flags)
  if (drawn() && inside_at(at, path)) FAIL(opening);
  return next(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...) {
  NEXT(openat64);
  MODE(flags)
  if (drawn() && inside_at(at, path)) FAIL(opening);
  return next(at, path, flags, mode);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  NEXT(clock_gettime);
  int status = next(clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead;
  return status;
}

int gettimeofday(struct timeval *now, void *zone) {
  NEXT(gettimeofday);
  int status = next(now, zone);
  if (status == 0) now->tv_sec += ahead;
  return status;
}

time_t time(time_t *result) {
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
