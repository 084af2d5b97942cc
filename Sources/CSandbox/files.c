// What a process may still do with files: landlock(7). The structures and numbers are those of <linux/landlock.h>, whose
// versions of some supported systems lack the newer ones.
#define _GNU_SOURCE  // dl_iterate_phdr, O_PATH.
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The same on all architectures.
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446

#define CREATE_RULESET_VERSION 1
#define RULE_PATH_BENEATH 1

#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_DIR (1ULL << 3)
#define REMOVE_DIR (1ULL << 4)
#define REMOVE_FILE (1ULL << 5)
#define MAKE_REG (1ULL << 8)
// All of the first version: also making other kinds of files.
#define VERSION_1 ((1ULL << 13) - 1)
#define REFER (1ULL << 13)      // Version 2. Without it, a file can't be linked or moved between directories at all.
#define TRUNCATE (1ULL << 14)   // Version 3.
#define IOCTL_DEV (1ULL << 15)  // Version 5.

#define BIND_TCP (1ULL << 0)  // Version 4.
#define CONNECT_TCP (1ULL << 1)

#define SCOPE_ABSTRACT_SOCKETS (1ULL << 0)  // Version 6.
#define SCOPE_SIGNALS (1ULL << 1)

struct ruleset_attributes {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};

struct path_attributes {
  uint64_t access;
  int32_t parent;
} __attribute__((packed));

int csandbox_files_version(void) {
  long version = syscall(CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

static uint64_t file_rights(int version) {
  return VERSION_1 | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0) | (version >= 5 ? IOCTL_DEV : 0);
}

int csandbox_files_begin(int *ruleset) {
  int version = csandbox_files_version();
  if (version == 0) return EOPNOTSUPP;
  struct ruleset_attributes attributes = {.files = file_rights(version)};
  if (version >= 4) attributes.network = BIND_TCP | CONNECT_TCP;
  if (version >= 6) attributes.scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
  // An earlier kernel accepts a longer structure if the rest is zero.
  long number = syscall(CREATE_RULESET, &attributes, sizeof attributes, 0);
  if (number < 0) return errno;
  *ruleset = (int)number;
  return 0;
}

static int allow(int ruleset, const char *path, uint64_t rights, uint64_t file_only) {
  int parent = open(path, O_PATH | O_CLOEXEC);
  // What can't be opened now, such as a directory on a server that is gone, isn't allowed.
  if (parent < 0) return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? errno : 0;
  struct stat status;
  int error = fstat(parent, &status) ? errno : 0;
  if (!error) {
    struct path_attributes attributes = {
        .access = S_ISDIR(status.st_mode) ? rights : rights & file_only, .parent = parent};
    if (syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &attributes, 0)) error = errno;
  }
  close(parent);
  return error;
}

int csandbox_files_read(int ruleset, const char *path) {
  return allow(ruleset, path, READ_FILE | READ_DIR, READ_FILE);
}

int csandbox_files_write(int ruleset, const char *path) {
  uint64_t truncate = file_rights(csandbox_files_version()) & TRUNCATE;
  // Neither directories nor links: whoever empties the directory can't be led elsewhere.
  return allow(
      ruleset, path, READ_FILE | READ_DIR | WRITE_FILE | REMOVE_FILE | MAKE_REG | truncate,
      READ_FILE | WRITE_FILE | truncate);
}

struct libraries {
  int ruleset;
  int error;
  char last[4096];
};

// Whether a component of a path is `lib`, `lib32`, `lib64` or `libx32`.
static int is_for_libraries(const char *path) {
  for (const char *found = path; (found = strstr(found, "/lib")); found += 4) {
    const char *rest = found + 4;
    if (!strncmp(rest, "32", 2) || !strncmp(rest, "64", 2)) rest += 2;
    if (!strncmp(rest, "x32", 3)) rest += 3;
    if (*rest == '/' || *rest == 0) return 1;
  }
  return 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct libraries *libraries = (struct libraries *)data;
  const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
  size_t length = slash ? (size_t)(slash - info->dlpi_name) : 0;
  if (length == 0 || length >= sizeof libraries->last) return 0;
  // Most are in the same directory.
  if (strlen(libraries->last) == length && !memcmp(libraries->last, info->dlpi_name, length)) return 0;
  memcpy(libraries->last, info->dlpi_name, length);
  libraries->last[length] = 0;
  // A library of LD_PRELOAD may be in a directory with anything else, such as /tmp.
  int is_alone = !is_for_libraries(libraries->last);
  libraries->error = csandbox_files_read(libraries->ruleset, is_alone ? info->dlpi_name : libraries->last);
  if (is_alone) libraries->last[0] = 0;
  return libraries->error;
}

int csandbox_files_read_libraries(int ruleset) {
  struct libraries libraries = {.ruleset = ruleset};
  dl_iterate_phdr(visit, &libraries);
  return libraries.error;
}

int csandbox_files_enter(int ruleset) {
  int error = syscall(RESTRICT_SELF, ruleset, 0) ? errno : 0;
  close(ruleset);
  return error;
}
