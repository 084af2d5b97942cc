#pragma once

#include <stddef.h>
#include <sys/types.h>

// A process's restrictions of itself. Linux only. The functions return 0, or the errno of their failure.

// Leaves no core file, hides the process's memory from other processes of the user, ends it with SIGKILL when the thread
// that started it ends, and never again grants privileges by execve(2). For the calling thread and those that it starts
// later.
int csandbox_isolate(void);

// Whether the kernel filters system calls on this architecture (seccomp(2)).
int csandbox_has_filter(void);

// Refuses all threads the system calls that reach other processes, the network or the kernel's settings: with EPERM what
// libraries try and do without, with the end of the process (SIGSYS) what no decoder calls. Requires csandbox_isolate.
int csandbox_filter(void);

// Files, by landlock(7). A process begins a set of rules, adds to it, and enters it; then it can open nothing else, rename and
// link nothing to another directory, and, as far as the kernel has it, use no TCP, no ioctl(2) of devices, no abstract socket
// and no signal of processes outside. What it has opened it keeps.

// The version of the kernel's interface; 0 without one.
int csandbox_files_version(void);

// Begins a set of rules that allows nothing.
int csandbox_files_begin(int *ruleset);

// Allows to read a file, or whatever is beneath a directory. A path that doesn't exist is no error.
int csandbox_files_read(int ruleset, const char *path);

// Also allows to create regular files beneath a directory, to write and to remove them.
int csandbox_files_write(int ruleset, const char *path);

// Allows to read the directories of the shared libraries that are loaded, whose modules may be loaded later.
int csandbox_files_read_libraries(int ruleset);

// Enters the set of rules and releases it. Holds for the calling thread and those that it starts later. Requires
// csandbox_isolate.
int csandbox_files_enter(int ruleset);

// The most descriptors of one message; the kernel's limit is 253.
#define CSANDBOX_MOST_DESCRIPTORS 250

// send(2) with open files, which the receiver gets with the first byte.
ssize_t csandbox_send(int socket, const void *bytes, size_t count, int flags, const int *descriptors, size_t number);

// recv(2) with room for CSANDBOX_MOST_DESCRIPTORS open files. Fails with EMFILE if there were more than the process may open.
ssize_t csandbox_receive(int socket, void *bytes, size_t count, int *descriptors, size_t *number);

// Begins to count the allocations that fail in the libraries that are loaded, and since the last call in those that have
// been loaded since. The first failure after each call also prints "out of memory" to standard error, for a process that ends of it. Does
// nothing on other architectures than x86-64 and ARM64.
void csandbox_watch_allocations(void);

// The number of allocations that failed since csandbox_watch_allocations was first called.
size_t csandbox_failed_allocations(void);
