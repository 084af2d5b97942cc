// Counts the allocations of memory that fail in the loaded libraries.
//
// Codecs treat a failed allocation in their own ways: some report it in other words, some crash, and of some libvips 8.14
// doesn't notice it, so that an empty GIF or an AVIF without pixels passes for an image. The C library has no hook for it
// (glibc removed __malloc_hook), and the kernel doesn't count what RLIMIT_DATA refuses. So the addresses of the allocating
// functions in the libraries' tables, where the dynamic linker has put them, are replaced by those of functions that look
// at the result.
#define _GNU_SOURCE  // dl_iterate_phdr, RTLD_DEFAULT.
#include "CSandbox.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic size_t failures;
static _Atomic int is_told;

size_t csandbox_failed_allocations(void) { return atomic_load_explicit(&failures, memory_order_relaxed); }

#if defined(__x86_64__)
#define IS_ADDRESS(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT)
#define IS_ADDRESS(type) \
  ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#endif

#ifndef IS_ADDRESS

void csandbox_watch_allocations(void) {}

#else

// What no limit of memory explains: a size from a header, or an error of the caller.
#define MOST_BYTES ((size_t)1 << 40)

static void note(size_t size) {
  if (size == 0 || size > MOST_BYTES) return;
  int error = errno;
  // The parent reads it if the process ends of this.
  static const char text[] = "out of memory\n";
  atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
  if (!atomic_exchange(&is_told, 1)) {
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
  }
  errno = error;
}

static void *(*own_malloc)(size_t);
static void *(*own_calloc)(size_t, size_t);
static void *(*own_realloc)(void *, size_t);
static void *(*own_memalign)(size_t, size_t);
static void *(*own_aligned_alloc)(size_t, size_t);
static int (*own_posix_memalign)(void **, size_t, size_t);

static void *watched_malloc(size_t size) {
  void *memory = own_malloc(size);
  if (!memory) note(size);
  return memory;
}

static void *watched_calloc(size_t count, size_t size) {
  void *memory = own_calloc(count, size);
  size_t total;
  if (!memory && !__builtin_mul_overflow(count, size, &total)) note(total);
  return memory;
}

static void *watched_realloc(void *old, size_t size) {
  void *memory = own_realloc(old, size);
  if (!memory) note(size);
  return memory;
}

static void *watched_memalign(size_t alignment, size_t size) {
  void *memory = own_memalign(alignment, size);
  if (!memory && errno == ENOMEM) note(size);
  return memory;
}

static void *watched_aligned_alloc(size_t alignment, size_t size) {
  void *memory = own_aligned_alloc(alignment, size);
  if (!memory && errno == ENOMEM) note(size);
  return memory;
}

static int watched_posix_memalign(void **memory, size_t alignment, size_t size) {
  int error = own_posix_memalign(memory, alignment, size);
  if (error == ENOMEM) note(size);
  return error;
}

static struct {
  const char *name;
  void *own;
  void *watched;
} functions[] = {
    {"malloc", &own_malloc, (void *)watched_malloc},
    {"calloc", &own_calloc, (void *)watched_calloc},
    {"realloc", &own_realloc, (void *)watched_realloc},
    {"memalign", &own_memalign, (void *)watched_memalign},
    {"aligned_alloc", &own_aligned_alloc, (void *)watched_aligned_alloc},
    {"posix_memalign", &own_posix_memalign, (void *)watched_posix_memalign},
};
#define FUNCTION_COUNT (sizeof functions / sizeof functions[0])

// The index of a function; FUNCTION_COUNT for any other name.
static size_t watched(const char *name) {
  // Of the thousands of names in the tables, these are rare.
  if (!strchr("mcrap", name[0])) return FUNCTION_COUNT;
  size_t index = 0;
  while (index < FUNCTION_COUNT && strcmp(name, functions[index].name)) index++;
  return index;
}

static void replace(const ElfW(Rela) *entries, size_t bytes, ElfW(Addr) base, const ElfW(Sym) *symbols, const char *names) {
  for (size_t index = 0; entries && index < bytes / sizeof *entries; index++) {
    if (!IS_ADDRESS(ELF64_R_TYPE(entries[index].r_info)) || entries[index].r_addend != 0) continue;
    size_t found = watched(names + symbols[ELF64_R_SYM(entries[index].r_info)].st_name);
    if (found == FUNCTION_COUNT) continue;
    void **place = (void **)(base + entries[index].r_offset);
    // A variable that the program has since set to another function is left. A slot may have no function before the first call.
    if (IS_SLOT(ELF64_R_TYPE(entries[index].r_info)) || *place == *(void **)functions[found].own)
      *place = functions[found].watched;
  }
}

// The linker itself and the C library allocate by their own functions. ImageMagick tries to allocate pixels, and does
// with a file if it can't.
static int is_left(const char *path) {
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  return !strncmp(name, "ld-linux", 8) || !strncmp(name, "libc.so", 7) || !strncmp(name, "linux-vdso", 10)
         || strstr(name, "Magick") != NULL;
}

static int watch(struct dl_phdr_info *info, size_t size, void *data) {
  static unsigned long long seen;
  int *is_first = data;
  if (*is_first) {
    *is_first = 0;
    // No library has been loaded since.
    if (info->dlpi_adds == seen) return 1;
    seen = info->dlpi_adds;
  }
  (void)size;
  if (is_left(info->dlpi_name)) return 0;
  const ElfW(Dyn) *dynamic = NULL;
  const ElfW(Phdr) *guarded = NULL;
  for (size_t index = 0; index < info->dlpi_phnum; index++) {
    if (info->dlpi_phdr[index].p_type == PT_DYNAMIC)
      dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[index].p_vaddr);
    if (info->dlpi_phdr[index].p_type == PT_GNU_RELRO) guarded = &info->dlpi_phdr[index];
  }
  if (!dynamic) return 0;
  const ElfW(Rela) *entries = NULL, *calls = NULL;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  size_t entry_bytes = 0, call_bytes = 0, unnamed = 0;
  for (const ElfW(Dyn) *item = dynamic; item->d_tag != DT_NULL; item++) {
    switch (item->d_tag) {
    case DT_RELA: entries = (const ElfW(Rela) *)item->d_un.d_ptr; break;
    // The first entries, most of all, are places in the library itself.
    case DT_RELACOUNT: unnamed = item->d_un.d_val; break;
    case DT_RELASZ: entry_bytes = item->d_un.d_val; break;
    case DT_JMPREL: calls = (const ElfW(Rela) *)item->d_un.d_ptr; break;
    case DT_PLTRELSZ: call_bytes = item->d_un.d_val; break;
    case DT_SYMTAB: symbols = (const ElfW(Sym) *)item->d_un.d_ptr; break;
    case DT_STRTAB: names = (const char *)item->d_un.d_ptr; break;
    default: break;
    }
  }
  if (!symbols || !names) return 0;
  if (entries && unnamed * sizeof *entries <= entry_bytes) {
    entries += unnamed;
    entry_bytes -= unnamed * sizeof *entries;
  }
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = 0, end = 0;
  if (guarded) {
    // As the linker does: the pages that are wholly in the segment.
    start = (info->dlpi_addr + guarded->p_vaddr) & -page;
    end = (info->dlpi_addr + guarded->p_vaddr + guarded->p_memsz) & -page;
  }
  if (end > start && mprotect((void *)start, end - start, PROT_READ | PROT_WRITE)) return 0;
  replace(entries, entry_bytes, info->dlpi_addr, symbols, names);
  replace(calls, call_bytes, info->dlpi_addr, symbols, names);
  if (end > start) mprotect((void *)start, end - start, PROT_READ);
  return 0;
}

void csandbox_watch_allocations(void) {
  atomic_store(&is_told, 0);
  for (size_t index = 0; index < FUNCTION_COUNT; index++) {
    void **own = functions[index].own;
    // Once: it finds the C library's function, or that of a library that replaces it.
    if (!*own && !(*own = dlsym(RTLD_DEFAULT, functions[index].name))) return;
  }
  int is_first = 1;
  dl_iterate_phdr(watch, &is_first);
}

#endif
