#pragma once

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
