// Tells ThreadSanitizer about locks that it doesn't see: those of `Synchronization.Mutex` and of GLib, which libvips uses.
//
// The compiler puts a mutex's fast path into its callers, where ThreadSanitizer sees the atomic exchange. The slow path,
// which a contended mutex takes, is in libswiftSynchronization.so, which isn't instrumented. GLib's locks are futexes in
// libglib-2.0.so, which isn't either. Without this, whatever such a lock protects would be reported as a race, and
// suppressions would hide the races of callbacks from libvips' threads. `.ci/sanitize` preloads this library: its
// functions have the names and calling conventions of the libraries' functions, and call those.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// ThreadSanitizer's own, in the instrumented program; absent in the programs that it starts.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

static void acquire(void *lock) {
  if (__tsan_acquire) __tsan_acquire(lock);
}

static void release(void *lock) {
  if (__tsan_release) __tsan_release(lock);
}

#define NEXT(name) ((Function)dlsym(RTLD_NEXT, name))

// MARK: Synchronization.Mutex

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t, SELF) __asm__(LOCK_SLOW);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK_SLOW);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF mutex) {
  typedef SWIFT void (*Function)(uint32_t, SELF);
  NEXT(LOCK_SLOW)(thread, mutex);
  acquire(mutex);
}

SWIFT bool try_lock_slow(SELF mutex) {
  typedef SWIFT bool (*Function)(SELF);
  bool locked = NEXT(TRY_LOCK_SLOW)(mutex);
  if (locked) acquire(mutex);
  return locked;
}

SWIFT void unlock_slow(SELF mutex) {
  typedef SWIFT void (*Function)(SELF);
  // Before the unlock: the next owner must find what this one released.
  release(mutex);
  NEXT(UNLOCK_SLOW)(mutex);
}

// MARK: GLib

#define LOCK(name)                         \
  void name(void *lock) {                  \
    typedef void (*Function)(void *);      \
    NEXT(#name)(lock);                     \
    acquire(lock);                         \
  }
#define UNLOCK(name)                       \
  void name(void *lock) {                  \
    typedef void (*Function)(void *);      \
    release(lock);                         \
    NEXT(#name)(lock);                     \
  }

LOCK(g_mutex_lock)
UNLOCK(g_mutex_unlock)
LOCK(g_rec_mutex_lock)
UNLOCK(g_rec_mutex_unlock)

// Waiting unlocks the mutex, and locks it again.
void g_cond_wait(void *condition, void *mutex) {
  typedef void (*Function)(void *, void *);
  release(mutex);
  NEXT("g_cond_wait")(condition, mutex);
  acquire(mutex);
}

int g_cond_wait_until(void *condition, void *mutex, int64_t end) {
  typedef int (*Function)(void *, void *, int64_t);
  release(mutex);
  int signaled = NEXT("g_cond_wait_until")(condition, mutex, end);
  acquire(mutex);
  return signaled;
}
